//! A test in which nothing happens has no answer: `Never` would be one.

use wattle_driver::compare::Compare;
use wattle_driver::engines::Settings;
use wattle_driver::outcomes::{Outcomes, outcomes};
use wattle_driver::port::port;
use wattle_driver::{Input, Watch, models};
use wattle_engine::Budget;
use wattle_report::{OutcomesVerdict, PortVerdict};

fn verdict(filter: &str) -> OutcomesVerdict {
    let text = format!(
        "PPC filtered\n{{ 0:r1=x; }}\n P0 ;\n lwz r2,0(r1) ;\nfilter (0:r2={filter})\nexists (0:r2=0)\n"
    );
    let request = Outcomes {
        model: Some(models::resolve("power", false).unwrap()),
        engine: None,
        settings: Settings::default(),
        budget: Budget::default(),
        atomic_copy: false,
    };
    outcomes(&request, &Input::text("filtered", "litmus", &text), &Watch::default()).unwrap().verdict
}

#[test]
fn a_test_without_executions_is_not_answered() {
    let OutcomesVerdict::Unknown { reason } = verdict("1") else { panic!("answered") };
    assert!(reason.to_string().contains("no execution that ends and passes the filter"), "{reason}");
    assert!(matches!(verdict("0"), OutcomesVerdict::Listed(listing) if listing.observation() == "Always"));
}

#[test]
fn two_models_without_executions_are_not_compared() {
    let text = "X86 filtered\n{ x=0; }\n P0 ;\n MOV EAX,[x] ;\nfilter (0:EAX=3)\nexists (0:EAX=0)\n";
    let models = ["tso", "pso"].map(|name| models::resolve(name, false).unwrap()).to_vec();
    let check = super::request("tso");
    let input = Input::text("filtered", "litmus", text);
    let report = port(&Compare { models, check }, &input, &Watch::default()).unwrap();
    assert!(matches!(report.verdict, PortVerdict::Unknown { .. }), "{:?}", report.verdict);
}
