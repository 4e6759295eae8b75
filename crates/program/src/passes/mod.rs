//! Passes: from a program to a program. One file a pass; origins survive each. (`liveness` is what some of
//! them start from.)

mod c11;
mod forget_dead;
mod insert;
mod instantiate;
mod liveness;
mod narrow_choices;
mod narrow_start;
mod observe;
mod remember;
mod retarget;
mod single;
mod surround;
mod threads;

pub use forget_dead::forget_dead;
pub use insert::{Insertion, Place, Spot, insert, kind_name, takes_fence};
pub use instantiate::instantiate;
pub use liveness::{liveness, observed_locals};
pub use narrow_choices::narrow_choices;
pub use narrow_start::narrow_start;
pub use observe::observe_everything;
pub use remember::{remember, remember_given};
pub use retarget::{
    Change, ORDERED, Reading, Translation, Untranslatable, read_as, retarget, retarget_fence,
};
pub use threads::{Handshake, Signal, threads};
