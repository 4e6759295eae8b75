//! The programs of small tests, as they are printed, and the parts that the printed form hides.

use wattle_program::{Program, text};

use super::{checked, edges, problem, samples};

fn program(text: &str) -> Program {
    checked(text).unwrap_or_else(|problems| panic!("{problems:#?}\n{text}"))
}

/// The lines of a program from its first process on, without places.
fn shown(text: &str) -> String {
    let printed = text::print(&program(text));
    let places = |line: &str| line.split(" @").next().unwrap_or("").trim_end().to_owned();
    printed.lines().skip_while(|line| !line.starts_with("process")).map(places).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_samples_are_read() {
    for sample in samples::ALL {
        program(sample);
    }
}

/// Message passing with a fence and an address dependency. Bases that are never written are constant
/// addresses (`&x`); the base of the dependent load is a sum with the value that was read, which
/// keeps the dependency although the sum is always `&x`.
#[test]
fn power() {
    let text = "PPC MP+lwsync+addr
{ 0:r2=x; 0:r4=y; 1:r2=y; 1:r5=x; }
 P0           | P1            ;
 li r1,1      | lwz r1,0(r2)  ;
 stw r1,0(r2) | xor r3,r1,r1  ;
 lwsync       | lwzx r4,r3,r5 ;
 stw r1,0(r4) |               ;
exists (1:r1=1 /\\ 1:r4=0)
";
    let expected = "process P0
  local r1 : i64 init 0
  local r2 : i64 init number(&x)
  local r4 : i64 init number(&y)
  entry 0
  point 0
  point 1
  point 2
  point 3
  point 4 end
  edge 0 -> 1 do assign r1 = 1
  edge 1 -> 2 do store &x = r1
  edge 2 -> 3 do fence LWSYNC rr rw ww cumulative
  edge 3 -> 4 do store &y = r1
process P1
  local r1 : i64 init 0
  local r2 : i64 init number(&y)
  local r3 : i64 init 0
  local r4 : i64 init 0
  local r5 : i64 init number(&x)
  entry 0
  point 0
  point 1
  point 2
  point 3 end
  edge 0 -> 1 do load r1 from &y
  edge 1 -> 2 do assign r3 = r1 ^ r1
  edge 2 -> 3 do load r4 from pointer(r3 + r5)
finally !(P1[0].r1 == 1 && P1[0].r4 == 0)
observe P1[0].r1
observe P1[0].r4
condition exists P1[0].r1 == 1 && P1[0].r4 == 0";
    assert_eq!(shown(text), expected);
}

/// An exchange is one locked step; a comparison keeps both values, so that the branch depends on both.
#[test]
fn x86() {
    let text = "X86 exchange
{ }
 P0           | P1          ;
 MOV EAX,$1   | MOV EAX,[y] ;
 XCHG [x],EAX | CMP EAX,$2  ;
 MFENCE       | JE L        ;
              | MOV [x],$3  ;
              | L:          ;
forall 0:EAX=0 \\/ x=3
";
    let expected = "process P0
  local EAX : i64 init 0
  local $old : i64 init 0 hidden
  entry 0
  point 0
  point 1
  point 2
  point 3 end
  edge 0 -> 1 do assign EAX = 1
  edge 1 -> 2 locked do load $old from &x tagged X; store &x = EAX tagged X; assign EAX = $old
  edge 2 -> 3 do fence MFENCE rr rw wr ww
process P1
  local EAX : i64 init 0
  local \"$flags.left\" : i64 init 0 hidden
  local \"$flags.right\" : i64 init 0 hidden
  entry 0
  point 0
  point 1
  point 2
  point 3
  point 4 label L end
  edge 0 -> 1 do load EAX from &y
  edge 1 -> 2 do assign \"$flags.left\" = EAX; assign \"$flags.right\" = 2
  edge 2 -> 4 when \"$flags.left\" == \"$flags.right\"
  edge 2 -> 3 when \"$flags.left\" != \"$flags.right\"
  edge 3 -> 4 do store &x = 3
finally P0[0].EAX == 0 || mem(&x) == 3
observe P0[0].EAX
observe mem(&x)
condition forall P0[0].EAX == 0 || mem(&x) == 3";
    assert_eq!(shown(text), expected);
}

/// The success of a store-conditional is 0 on RISC-V, and an atomic operation acquires with its read
/// and releases with its write.
#[test]
fn riscv() {
    let text = "RISCV atomics
{ 0:x6=x; 1:x6=x; }
 P0              | P1                      ;
 lr.w.aq x5,(x6) | amoswap.w.rl x5,x7,(x6) ;
 sc.w x8,x9,(x6) | fence r,rw              ;
exists (0:x8=0)
";
    let found = shown(text);
    let edges: Vec<&str> = found.lines().filter(|line| line.contains("edge")).map(str::trim).collect();
    assert_eq!(
        edges,
        [
            "edge 0 -> 1 do load_exclusive x5 from &x tagged Acq X",
            "edge 1 -> 2 do store_conditional $success to &x = x9 tagged X; assign x8 = 1 - $success",
            "edge 0 -> 1 locked do load $old from &x tagged AMO X; store &x = x7 tagged AMO Rel X; assign x5 = $old",
            "edge 1 -> 2 do fence \"Fence.r.rw\" rr rw",
        ]
    );
}

/// A symbolic register belongs to the threads that use it, words of an array are four bytes apart,
/// and a conditional move keeps the old value.
#[test]
fn arm() {
    let text = "ARM some
{ %x0=x; int a[2]={1,2}; 1:R0=a; }
 P0           | P1              ;
 STR R0,[%x0] | LDR R1,[R0,#4]  ;
 DMB          | CMP R1,#2       ;
 DMB ST       | MOVEQ R2,#1     ;
exists (1:R2=1)
";
    let found = shown(text);
    let edges: Vec<&str> = found.lines().filter(|line| line.contains("edge")).map(str::trim).collect();
    assert_eq!(
        edges,
        [
            "edge 0 -> 1 do store &x = R0",
            "edge 1 -> 2 do fence DMB rr rw wr ww",
            "edge 2 -> 3 do fence \"DMB.ST\" ww",
            "edge 0 -> 1 do load R1 from &a[1]",
            "edge 1 -> 2 do assign \"$flags.left\" = R1; assign \"$flags.right\" = 2",
            "edge 2 -> 3 do assign R2 = (if \"$flags.left\" == \"$flags.right\" then 1 else R2)",
        ]
    );
}

/// `~` binds tightest, then `=>`, then `/\`, then `\/`.
#[test]
fn formulas() {
    let formula = |text: &str| {
        let test = format!("X86 f {{ }} P0 ; MOV [x],$1 ; MOV [y],$1 ; exists {text}");
        let condition = shown(&test.replace(" f ", " f\n")).lines().last().unwrap_or("").to_owned();
        condition.replace("condition exists ", "").replace("mem(&x)", "x").replace("mem(&y)", "y")
    };
    assert_eq!(formula("x=1 \\/ x=2 /\\ y=1"), "x == 1 || x == 2 && y == 1");
    assert_eq!(formula("x=1 /\\ y=1 => x=2"), "x == 1 && (y == 1 => x == 2)");
    assert_eq!(formula("~x=1 => y=1"), "!(x == 1) => y == 1");
    assert_eq!(formula("not (x=1 \\/ true)"), "!(x == 1 || true)");
    assert_eq!(formula("[x]=y /\\ x=[y] /\\ *x<>0x1"), "x == number(&y) && x == y && x != 1");
}

/// All observers of a test share one inner domain; a barrier for one processor alone is none for them.
#[test]
fn barriers_of_arm() {
    let arm = |option: &str| format!("ARM test\n{{ }}\n P0 ;\n DMB {option} ;\nexists (0:R0=0)\n");
    for option in ["", "SY", "ISH", "OSH"] {
        let fence = "0 -> 1 do fence \"DMB\" rr rw wr ww";
        let edges = edges(&arm(option));
        assert!(
            edges.len() == 1 && edges[0].replace("fence DMB", "fence \"DMB\"").contains(fence),
            "{edges:?}"
        );
    }
    for option in ["ST", "ISHST", "OSHST"] {
        assert_eq!(edges(&arm(option)), ["0 -> 1 do fence \"DMB.ST\" ww"]);
    }
    for option in ["NSH", "NSHST", "LD", "ISHLD", "OSHLD"] {
        assert_eq!(problem(&arm(option)).0, "litmus-unsupported", "{option}");
        assert_eq!(problem(&arm(option).replace("DMB", "DSB")).0, "litmus-unsupported", "{option}");
    }
    assert_eq!(problem(&arm("ALL")).0, "litmus-syntax");
    let nsh = "AArch64 test\n{ }\n P0 ;\n DSB NSHLD ;\nexists (0:X0=0)\n";
    assert_eq!(problem(nsh).0, "litmus-unsupported");
}

/// A register that holds no label says nothing about where to go on.
#[test]
fn a_jump_to_nowhere_is_refused() {
    let jump =
        |init: &str| format!("ARM test\n{{ {init} }}\n P0 ;\n BX LR ;\n L: MOV R0,#1 ;\nexists (0:R0=1)\n");
    assert_eq!(problem(&jump("")), ("litmus-unsupported", 4, 2));
    assert_eq!(problem(&jump("0:LR=P0:M;")).0, "litmus-unsupported");
    let edges = edges(&jump("0:LR=P0:L;"));
    assert!(edges.iter().any(|edge| edge.contains("unsupported")), "{edges:?}");
}
