use wattle_logic::Term;
use wattle_memory::reduction::Reduced;
#[derive(Clone, Debug, Default)]
pub struct Rules {}
pub fn extrapolate(p: &[Term], _: &Reduced, _: &Rules) -> Vec<Term> {
    p.to_vec()
}
pub fn extrapolate_cubes(p: &[Vec<(Term, bool)>], _: &Reduced, _: &Rules) -> Vec<Vec<(Term, bool)>> {
    p.to_vec()
}
