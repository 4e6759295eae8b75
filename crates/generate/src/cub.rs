//! Random parameterised systems, as .cub text.
//!
//! They are for comparing proofs for any number of processes with searches of a few. So each is small: a handful of
//! places, one or two weak variables, and values that stay finite. Systems that are wholly random are mostly safe or unsafe for
//! a reason that has nothing to do with memory. Therefore three of four begin with a skeleton in which something is
//! at stake (flags that are raised and looked at, a lock that is taken in one step or in two, a value that is
//! handed over, votes that are counted) and differ in what such algorithms get wrong: a fence more or less, a guard that looks at one
//! process or at all, writes in one transition or in two, the order of processes, a broadcast that resets too much.

use crate::Rng;

/// The text of a seed.
pub fn cub(seed: u64) -> String {
    let mut rng = Rng::new(seed ^ 0x00c0_b1c1);
    let mut system = match rng.weighted(&[3, 2, 2, 2, 3, 2]) {
        0 => flags(&mut rng),
        1 => lock(&mut rng),
        2 => handover(&mut rng),
        3 => votes(&mut rng),
        5 => shares(&mut rng),
        _ => soup(&mut rng),
    };
    // Now and then something that the skeleton did not think of.
    if rng.chance(300) {
        system.disturb(&mut rng);
    }
    system.text(seed)
}

/// A system as its declarations, its guards and its assignments.
#[derive(Default)]
struct System {
    locs: u32,
    /// Declarations beside `PC`.
    declared: Vec<String>,
    init: Vec<String>,
    bad: Vec<String>,
    transitions: Vec<Transition>,
}

struct Transition {
    others: &'static str,
    guard: Vec<String>,
    body: Vec<String>,
}

impl System {
    fn new(locs: u32) -> System {
        System { locs, ..System::default() }
    }

    fn declare(&mut self, declaration: &str, init: &str) {
        self.declared.push(declaration.into());
        if !init.is_empty() {
            self.init.push(init.into());
        }
    }

    /// From one place to another, if all these hold.
    fn go(&mut self, from: u32, to: u32, others: &'static str, guard: &[&str], body: &[&str]) {
        let mut guard: Vec<String> =
            guard.iter().filter(|part| !part.is_empty()).map(|part| (*part).into()).collect();
        guard.insert(0, format!("PC[p] = L{from}"));
        let mut body: Vec<String> =
            body.iter().filter(|part| !part.is_empty()).map(|part| (*part).into()).collect();
        if from != to {
            body.insert(0, format!("PC[p] := L{to}"));
        }
        self.transitions.push(Transition { others, guard, body });
    }

    fn forbid_two(&mut self, place: u32) {
        self.bad.push(format!("(p q) {{ PC[p] = L{place} && PC[q] = L{place} }}"));
    }

    /// Drop, add or weaken one thing.
    fn disturb(&mut self, rng: &mut Rng) {
        let which = rng.below(self.transitions.len() as u32) as usize;
        match rng.below(4) {
            0 if self.transitions.len() > 2 => drop(self.transitions.remove(which)),
            1 => self.transitions[which].guard.push("fence()".into()),
            2 => self.transitions[which].guard.retain(|part| part != "fence()"),
            _ => {
                let to = rng.below(self.locs);
                self.go(rng.below(self.locs), to, "", &[], &[]);
            }
        }
    }

    fn text(&self, seed: u64) -> String {
        let places: Vec<String> = (0..self.locs).map(|place| format!("L{place}")).collect();
        let mut text = format!("(* seed {seed} *)\ntype loc = {}\n", places.join(" | "));
        let types = self.declared.iter().filter(|line| line.starts_with("type"));
        let symbols = self.declared.iter().filter(|line| !line.starts_with("type"));
        types.for_each(|line| text += &format!("{line}\n"));
        text += "array PC[proc] : loc\n";
        symbols.for_each(|line| text += &format!("{line}\n"));
        let init: Vec<&str> =
            ["PC[p] = L0"].into_iter().chain(self.init.iter().map(String::as_str)).collect();
        text += &format!("init (p) {{ {} }}\n", init.join(" && "));
        self.bad.iter().for_each(|bad| text += &format!("unsafe {bad}\n"));
        for (number, transition) in self.transitions.iter().enumerate() {
            let (guard, body) = (transition.guard.join(" && "), transition.body.join("; "));
            text += &format!(
                "transition t{number} ([p]{})\nrequires {{ {guard} }}\n{{ {body} }}\n",
                transition.others
            );
        }
        text
    }
}

fn sometimes<'t>(rng: &mut Rng, per_mille: u32, text: &'t str) -> &'t str {
    if rng.chance(per_mille) { text } else { "" }
}

/// Raise a flag, look, enter, lower it.
fn flags(rng: &mut Rng) -> System {
    let mut system = System::new(4);
    system.declare("weak array F[proc] : bool", "F[p] = False");
    let second = rng.chance(300);
    if second {
        system.declare("weak var T : proc", "");
    }
    let fence = sometimes(rng, 550, "fence()");
    let look = *rng.pick(&[
        "(forall_other q. F[q] = False)",
        "(forall_other q. F[q] = False)",
        "(forall_other q. (q < p => F[q] = False))",
        "(forall_other q. F[q] = False || q < p)",
    ]);
    system.go(0, 1, "", &[], &["F[p] := True", if second { "T := p" } else { "" }]);
    match second {
        true => {
            system.go(1, 2, "", &[fence, look], &[]);
            let turn = *rng.pick(&["T <> p", "T = p"]);
            system.go(1, 2, "", &[sometimes(rng, 500, "fence()"), turn], &[]);
        }
        false if rng.chance(250) => system.go(1, 2, " r", &[fence, "F[r] = False"], &[]),
        false => system.go(1, 2, "", &[fence, look], &[]),
    }
    if rng.chance(500) {
        system.go(1, 0, " r", &["F[r] = True"], &["F[p] := False"]);
    }
    let leave = *rng.pick(&[
        "F[p] := False",
        "F[p] := False",
        "F[k] := case | k = p : False | _ : F[k]",
        "F[k] := case | _ : False",
    ]);
    system.go(2, if rng.chance(700) { 0 } else { 3 }, "", &[], &[leave]);
    system.forbid_two(2);
    system
}

/// A lock that is taken in one step, or seen free in one and taken in another.
fn lock(rng: &mut Rng) -> System {
    let mut system = System::new(4);
    let holder = rng.chance(400);
    match holder {
        true => {
            system.declare("weak var H : proc", "");
            system.declare("weak var B : bool", "B = False");
        }
        false => system.declare("weak var B : bool", "B = False"),
    }
    let who = if holder { "H := p" } else { "" };
    if rng.chance(650) {
        system.go(0, 2, "", &["B = False"], &["B := True", who]);
    } else {
        system.go(0, 1, "", &["B = False", sometimes(rng, 300, "fence()")], &[]);
        system.go(1, 2, "", &[sometimes(rng, 300, "fence()")], &["B := True", who]);
    }
    system.go(2, 3, "", &[if holder { sometimes(rng, 500, "H = p") } else { "" }], &[]);
    let owned = if holder { sometimes(rng, 400, "H = p") } else { "" };
    system.go(3, 0, "", &[owned, sometimes(rng, 300, "fence()")], &["B := False"]);
    system.forbid_two(if rng.chance(500) { 2 } else { 3 });
    system
}

/// One process writes a value and says so; others read it when they see that.
fn handover(rng: &mut Rng) -> System {
    let mut system = System::new(4);
    system.declare("type val = Old | New", "");
    system.declare("weak var D : val", "D = Old");
    system.declare("weak var S : bool", "S = False");
    system.declare("array Got[proc] : val", "Got[p] = New");
    match rng.below(3) {
        0 => system.go(0, 3, "", &[], &["D := New", "S := True"]),
        1 => {
            system.go(0, 1, "", &[], &["D := New"]);
            system.go(1, 3, "", &[sometimes(rng, 400, "fence()")], &["S := True"]);
        }
        _ => {
            system.go(0, 1, "", &[], &["S := True"]);
            system.go(1, 3, "", &[sometimes(rng, 400, "fence()")], &["D := New"]);
        }
    }
    match rng.below(3) {
        0 => system.go(0, 2, "", &["S = True"], &["Got[p] := D"]),
        _ => {
            system.go(0, 2, "", &["S = True"], &[]);
            system.go(2, 3, "", &[], &["Got[p] := D"]);
        }
    }
    if rng.chance(300) {
        system.go(3, 0, "", &[sometimes(rng, 500, "fence()")], &["S := False", "D := Old"]);
    }
    system.bad.push(match rng.below(3) {
        0 => "(p) { p@S = True && p@D = Old }".into(),
        1 => "(p q) { p@S = True && q@S = False && PC[q] = L2 }".into(),
        _ => "(p) { Got[p] = Old }".into(),
    });
    system
}

/// Everybody votes; somebody counts.
fn votes(rng: &mut Rng) -> System {
    let mut system = System::new(3);
    system.declare("type vote = None | Yes | No", "");
    system.declare("weak array V[proc] : vote", "V[p] = None");
    system.declare("weak var R : vote", "R = None");
    system.declare("array K[proc] : vote", "K[p] = None");
    system.go(0, 1, "", &[], &["V[p] := Yes"]);
    system.go(0, 1, "", &[], &["V[p] := No"]);
    let count = *rng.pick(&[
        "V[p] = Yes && (forall_other q. V[q] = Yes)",
        "(forall_other q. V[q] <> No)",
        "(forall q. V[q] = Yes)",
        "(exists_other q. V[q] = Yes)",
    ]);
    system.go(1, 1, "", &[count, sometimes(rng, 200, "R = None")], &["R := Yes"]);
    match rng.below(2) {
        0 => system.go(1, 1, " r", &["V[r] = No", sometimes(rng, 200, "R = None")], &["R := No"]),
        _ => system.go(
            1,
            1,
            "",
            &["(exists_other q. V[q] = No)", sometimes(rng, 300, "fence()")],
            &["R := No"],
        ),
    }
    system.go(1, 2, "", &["R <> None"], &["K[p] := R"]);
    system.bad.push(match rng.below(2) {
        0 => "(p q) { K[p] = Yes && K[q] = No }".into(),
        _ => "(p q) { p@R = Yes && q@R = No }".into(),
    });
    system
}

/// Everybody adds a share, once: conditions and values are sums.
fn shares(rng: &mut Rng) -> System {
    let mut system = System::new(3);
    let weak = rng.chance(600);
    let (kind, at) = if weak { ("weak var", "p@") } else { ("var", "") };
    system.declare("array K[proc] : int", "K[p] = 0");
    system.declare(&format!("{kind} A : int"), "A = 0");
    system.declare(&format!("{kind} B : int"), sometimes(rng, 950, "B = 1"));
    system.go(0, 1, "", &[], &["K[p] := 1"]);
    system.go(0, 1, "", &[], &["K[p] := 2"]);
    for _ in 0..rng.between(1, 2) {
        let guard = *rng.pick(&[
            "",
            "A + B <= 2",
            "A + K[p] <= B",
            "A + K[p] <> 2 * B",
            "2 * A < B + K[p]",
            "(forall_other q. K[q] + K[p] <= 3)",
        ]);
        let body = *rng.pick(&[
            "A := A + K[p]",
            "B := A + B",
            "A := A + B; B := B - K[p]",
            "A := 2 * A + 1",
            "K[p] := K[p] + B",
        ]);
        system.go(1, 2, "", &[guard, sometimes(rng, 200, "fence()")], &[body]);
    }
    system.bad.push(match rng.below(5) {
        0 => format!("(p) {{ {at}A + {at}B > 3 }}"),
        1 => "(p q) { K[p] + K[q] = 4 }".into(),
        2 => "(p q) { PC[p] = L2 && PC[q] = L2 && K[p] + K[q] > 3 }".into(),
        3 => format!("(p) {{ PC[p] = L2 && {at}A > {at}B + K[p] }}"),
        _ => format!("(p q) {{ PC[p] = L2 && {at}A + K[p] < {at}B - K[q] }}"),
    });
    system
}

/// Anything.
fn soup(rng: &mut Rng) -> System {
    let mut system = System::new(rng.between(2, 4));
    system.declare("weak var X : bool", "X = False");
    system.declare("weak array A[proc] : bool", sometimes(rng, 800, "A[p] = False"));
    system.declare("array B[proc] : bool", "B[p] = False");
    let with_y = rng.chance(400);
    if with_y {
        system.declare("weak var Y : proc", "");
    }
    for _ in 0..rng.between(3, 6) {
        let (from, to) = (rng.below(system.locs), rng.below(system.locs));
        let other = rng.chance(350);
        let mut guards = vec![
            "",
            "",
            "X = True",
            "X = False",
            "A[p] = True",
            "B[p] = False",
            "fence()",
            "(forall_other q. A[q] = False)",
            "(forall_other q. PC[q] <> L1)",
            "(exists_other q. A[q] = True)",
            "(forall_other q. B[q] = False || p < q)",
        ];
        let mut bodies = vec![
            "",
            "X := True",
            "X := False",
            "A[p] := True",
            "A[p] := False",
            "B[p] := X",
            "B[p] := A[p]",
            "A[k] := case | k = p : True | _ : False",
            "B[k] := case | B[k] = True : False | _ : X",
            "X := .",
        ];
        if other {
            guards.extend(["A[r] = True", "A[r] = False", "p < r", "B[r] = True", "PC[r] = L0"]);
            bodies.extend(["A[r] := True", "A[r] := False", "B[p] := A[r]"]);
        }
        if with_y {
            guards.extend(["Y = p", "Y <> p"]);
            bodies.push("Y := p");
        }
        let guard = [*rng.pick(&guards), *rng.pick(&guards)];
        let first = *rng.pick(&bodies);
        let second = *rng.pick(&bodies);
        let target = |body: &str| body.chars().next();
        let second = if target(first) == target(second) { "" } else { second };
        system.go(from, to, if other { " r" } else { "" }, &guard, &[first, second]);
    }
    let last = system.locs - 1;
    system.bad.push(match rng.below(4) {
        0 => format!("(p q) {{ PC[p] = L{last} && PC[q] = L{last} && B[p] = True }}"),
        1 => "(p q) { p@X = True && q@X = False && B[q] = True }".into(),
        2 => format!("(p q) {{ PC[p] = L{last} && p@A[q] = True && B[q] = True }}"),
        _ => format!("(p q) {{ PC[p] = L{last} && PC[q] = L0 && p@A[p] = True && q@A[p] = False }}"),
    });
    system
}
