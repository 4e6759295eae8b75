//! Models in the style of those in circulation: their constructs, our text.

use super::axioms;

pub(crate) const STYLES: [(&str, &str); 6] = [
    (
        "x86",
        r#"X86 "store buffers"
include "x86fences.cat"
include "filters.cat"
include "cos.cat"

(* coherence *)
let com = rf | fr | co
acyclic po-loc | amo | com

empty rmw & (fre;coe)

# order that stays
let kept = WW(po) | RM(po)
include "x86fences.cat"
let store-load = WR(po)
let implied = MA(store-load) | AM(store-load)
show implied
let ghb = mfence | implied | kept | rfe | fr | co
acyclic ghb as tso
show sm\id as si
"#,
    ),
    (
        "ppc",
        r#"PPC
include "cos.cat"
acyclic po-loc | rf | fr | co as scperlocation
empty rmw & (fre;coe) as atomic

let dd = addr | data
let rdw = po-loc & (fre;rfe)
let detour = po-loc & (coe ; rfe)
include "ppcfences.cat"
show isync,ctrlisync
show isync \ ctrlisync as isync

let ci0 = ctrlisync | detour
let ii0 = dd | rfi | rdw
let cc0 = dd | po-loc | ctrl | (addr;po)
let ic0 = 0

let rec ci = ci0 | (ci;ii) | (cc;ci)
and ii = ii0 | ci | (ic;ci) | (ii;ii)
and cc = cc0 | ci | (ci;ic) | (cc;cc)
and ic = ic0 | ii | cc | (ic;cc) | (ii;ic)
let ppo = let ppoR = ii & (R * R) and ppoW = ic & (R * W) in ppoR | ppoW

let lwsync = lwsync \ (W * R)
let eieio = eieio & (W * W)
let strong = sync
let light = lwsync|eieio
let fence = strong|light
let hb = ppo | fence | rfe
acyclic hb as thinair
let hbstar = hb*
let propbase = (fence|(rfe;fence));hbstar
let chapo = rfe|fre|coe|(fre;rfe)|(coe;rfe)
let prop = propbase & (W * W) | (chapo? ; propbase*; strong; hbstar)
acyclic co|prop as propagation
irreflexive fre;prop;hbstar as observation
acyclic co | po & (X * X) as scXX
"#,
    ),
    (
        "riscv",
        r#"RISCV "dots and dashes"
let fence.r.rw = [R];fencerel(Fence.r.rw);[M]
let fence.rw.rw = [M];fencerel(Fence.rw.rw);[M]
let fence.tso =
  let f = fencerel(Fence.tso) in
  ([W];f;[W]) | ([R];f;[M])
let fence = fence.r.rw | fence.rw.rw | fence.tso
let po-loc-no-w = po-loc \ (po-loc?;[W];po-loc)
let rsw = rf^-1;rf
let AcqRel = AcqRel|Sc
let AQ = (Acq|AcqRel)
and RL = (Rel|AcqRel)
let AMO = try AMO with (R & W)
let RCsc = (Acq|Rel|AcqRel) & (AMO|X)
let r1 = [M];po-loc;[W]
and r2 = ([R];po-loc-no-w;[R]) \ rsw
and r3 = [AMO|X];rfi;[R]
and r5 = [AQ];po;[M]
and r6 = [M];po;[RL]
and r7 = [RCsc];po;[RCsc]
let ppo =
  r1
| r2
| r3
| fence
| r5
| r6
| r7
| rmw
include "cos-opt.cat"
acyclic co|rf|fr|po-loc as Coherence
acyclic co|rfe|fr|ppo as Model
empty rmw & (fre;coe) as Atomic
"#,
    ),
    (
        "c",
        r#"C RC11
include "cos.cat"
let mo = co
let sb = po
let myrmw = [RMW] | rmw
let rb = (rf^-1; mo) \ id
let eco = (rf | mo | rb)+
let rs = [W]; (sb & loc)?; [W & (RLX | REL | ACQ_REL | ACQ | SC)]; (rf; myrmw)*
let sw = [(REL | ACQ_REL | SC)]; ([F]; sb)?; rs; rf; [R & (RLX | REL | ACQ | ACQ_REL | SC)]; (sb; [F])?; [(ACQ | ACQ_REL | SC)]
let hb = (sb | sw)+
let scb = sb | (sb \ loc); hb; (sb \ loc) | hb & loc | mo | rb
let cnf = ((W * _) | (_ * W)) & loc \ ((IW * _) | (_ * IW))
let dr = (cnf & ext) \ (hb | hb^-1 | A * A)
undefined_unless empty dr as Dr
flag ~empty (W & NA) as plain-write
irreflexive hb; eco? as coherence1
acyclic ([SC];scb;[SC]) as SC
acyclic (sb | rf) as no-thin-air
assert empty [IW];po
show hb, eco
"#,
    ),
    (
        "arm",
        r#"ARM
include "cos.cat"
acyclic po-loc | rf | fr | co as uniproc
include "armfences.cat"
let WW = W * W
let dmb.st=dmb.st & WW
let dsb.st=dsb.st & WW
let strong = dmb|dsb|dmb.st|dsb.st
let light = 0
let fence = strong|light
let noncumul = fun r -> r \ (rfe ; r)
procedure ordered(r, s) = let both = r | s acyclic both as ordered irreflexive both ; both end
call ordered(fence, rfe | noncumul(ctrlisb)) as name
"#,
    ),
    (
        "odd",
        r#"include "stdlib.cat"
include "fences.cat"
let (one, other) = (po, rf)
let compose(r, s) = r ; s and either(r, s) = r | s
let twice f = fun r -> f(f(r, r), f(r, r))
if "loud" include "nowhere.cat" else let quiet = one end
let x = if "loud" || not "soft" then either(quiet, compose(one, other)) else 0
let rec a = x \ b and b = x \ a
let rec s = R | domain(po ; [s])
let none = domain 0
acyclic twice compose x
empty b as B
~empty a as A'
empty (~s & R) | none as N
empty 0 | {}
irreflexive (~0 \ id) \ (_ * _)
empty singlestep(po) & same-instance
call subseteq(rfe, rf)
call total(po | po^-1 | id, R & IW)
"#,
    ),
];

#[test]
fn models_in_the_style_of_public_ones_are_read() {
    let count = |style: usize| axioms(STYLES[style].1).core.axioms.len();
    let counts: Vec<usize> = (0..STYLES.len()).map(count).collect();
    assert_eq!(counts, [3, 6, 3, 6, 3, 9]);
    let ppc = axioms(STYLES[1].1).core;
    assert_eq!(ppc.groups.len(), 1);
    assert_eq!((ppc.groups[0].bodies.len(), ppc.groups[0].monotone), (4, true));
    let odd = axioms(STYLES[5].1).core;
    assert_eq!(odd.groups.iter().map(|group| group.monotone).collect::<Vec<_>>(), [false, true]);
    let names: Vec<_> = axioms(STYLES[0].1).core.axioms.iter().map(|axiom| axiom.name.to_string()).collect();
    assert_eq!(names, ["po-loc | amo | com", "rmw & (fre;coe)", "tso"]);
}
