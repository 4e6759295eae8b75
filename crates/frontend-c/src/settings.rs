//! What the command line says about C.

use crate::types::DataModel;

/// How C is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Settings {
    pub data_model: DataModel,
    /// How many threads a place in a loop creates, calls of a recursive function nest, and heap cells a place in a
    /// loop takes, where the text does not say.
    pub bound: u32,
    /// Functions without a definition whose result is any value and that do nothing else.
    pub assume_pure: Vec<String>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { data_model: DataModel::Lp64, bound: 3, assume_pure: vec![] }
    }
}

impl Settings {
    /// From words such as `data-model=ILP32`. Those of other languages are passed over.
    pub(crate) fn read(words: &[(String, String)]) -> Settings {
        let mut settings = Settings::default();
        for (key, value) in words {
            match key.as_str() {
                "data-model" if value.eq_ignore_ascii_case("ilp32") => settings.data_model = DataModel::Ilp32,
                "data-model" => settings.data_model = DataModel::Lp64,
                "instances" => settings.bound = value.parse().unwrap_or(settings.bound),
                "assume-pure" => settings.assume_pure.push(value.clone()),
                _ => {}
            }
        }
        settings
    }
}
