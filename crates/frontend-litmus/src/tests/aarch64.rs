//! Tests of 64-bit ARM. The edges are argued from the architecture manual.

use super::{edges, problem, survives_damage};

fn edges_of(instructions: &str) -> Vec<String> {
    edges(&format!("AArch64 test\n{{ 0:X1=x; 0:X3=y; }}\n P0 ;\n{instructions}\nexists (x=1)\n"))
}

#[test]
fn loads_and_stores() {
    assert_eq!(
        edges_of(
            "LDR W0,[X1]; LDAR W0,[X1]; LDAPR W0,[X1]; LDXR W0,[X1]; LDAXR W0,[X1];
             STR W0,[X3]; STLR WZR,[X3]; DMB ISHLD; DSB ST; ISB; NOP; LDR WZR,[X1];"
        ),
        [
            "0 -> 1 do load X0 from &x",
            "1 -> 2 do load X0 from &x tagged A",
            "2 -> 3 do load X0 from &x tagged Q",
            "3 -> 4 do load_exclusive X0 from &x tagged X",
            "4 -> 5 do load_exclusive X0 from &x tagged A X",
            "5 -> 6 do store &y = X0",
            "6 -> 7 do store &y = 0 tagged L",
            "7 -> 8 do fence \"DMB.ISHLD\" rr rw cumulative",
            "8 -> 9 do fence \"DSB.ST\" ww cumulative",
            "9 -> 10 do fence ISB",
            "10 -> 11 do load $nothing from &x",
        ]
    );
}

/// An index is a dependency even if it is 0, and the base register is updated after the access.
#[test]
fn addressing() {
    assert_eq!(
        edges_of("LDR W0,[X1,W2,SXTW]; STR W0,[X3],#8; LDR W0,[X4,#8]!; LDR W0,[X1,X5,LSL #2];"),
        [
            "0 -> 1 do load X0 from pointer(X1 + X2)",
            "1 -> 2 do store pointer(X3) = X0; assign X3 = X3 + 8",
            "2 -> 3 do load X0 from pointer(X4 + 8); assign X4 = X4 + 8",
            "3 -> 4 do load X0 from pointer(X1 + ((0:i64 | X5) << 2))",
        ]
    );
}

/// `W0` is the lower half of `X0`: where a thread uses both, writing `W0` clears the upper half.
#[test]
fn halves_of_registers() {
    assert_eq!(
        edges_of("MOV W0,#1; EOR W2,W0,W0; ADD X4,X4,X0; LDR W4,[X1];"),
        [
            "0 -> 1 do assign X0 = 1",
            "1 -> 2 do assign X2 = 4294967295:i64 & X0 ^ 4294967295:i64 & X0",
            "2 -> 3 do assign X4 = X4 + X0",
            "3 -> 4 do load X4 from &x; assign X4 = 4294967295:i64 & X4",
        ]
    );
}

/// 0 is success, and nothing depends on it: the hidden local is set by the store alone.
#[test]
fn store_exclusive_says_zero_for_success() {
    assert_eq!(
        edges_of("STLXR W0,W2,[X1]; CBNZ W0,L; STR W2,[X3]; L:;"),
        [
            "0 -> 1 do store_conditional $success to &x = X2 tagged L X; assign X0 = $success ^ 1",
            "1 -> 3 when X0 != 0",
            "1 -> 2 when X0 == 0",
            "2 -> 3 do store &y = X2",
        ]
    );
}

/// A read whose value is thrown away does not acquire.
#[test]
fn atomics() {
    assert_eq!(
        edges_of("SWPAL W0,W2,[X1]; LDADDA W0,W2,[X1]; LDCLRL W0,WZR,[X1]; STEOR W0,[X1]; SWPA W0,WZR,[X1];"),
        [
            "0 -> 1 locked do load \"$old.w\" from &x tagged A X; store &x = X0 tagged L X; \
             assign X2 = \"$old.w\"",
            "1 -> 2 locked do load \"$old.w\" from &x tagged A X; store &x = \"$old.w\" + X0 tagged X; \
             assign X2 = \"$old.w\"",
            "2 -> 3 locked do load \"$old.w\" from &x tagged NoRet; store &x = \"$old.w\" & ~X0 tagged L X",
            "3 -> 4 locked do load \"$old.w\" from &x tagged NoRet; store &x = \"$old.w\" ^ X0 tagged X",
            "4 -> 5 locked do load \"$old.w\" from &x tagged NoRet; store &x = X0 tagged X",
        ]
    );
}

/// Success writes; the register keeps its value or takes that of memory. Failure may write back what
/// was read.
#[test]
fn compare_and_swap_has_five_ways() {
    let ways = edges_of("CASA W0,W2,[X1];");
    assert_eq!(ways.len(), 5);
    for (way, edge) in ways.iter().enumerate() {
        assert!(edge.starts_with("0 -> 1 locked do load \"$old.w\" from &x tagged A"), "{edge}");
        assert_eq!(edge.contains("store &x = X2 tagged X"), way < 2, "{edge}");
        assert_eq!(edge.contains("store &x = \"$old.w\" tagged X"), way == 4, "{edge}");
        assert_eq!(edge.contains("assume \"$old.w\" == X0;"), way < 2, "{edge}");
        assert_eq!(edge.contains("assume !(\"$old.w\" == X0);"), way >= 2, "{edge}");
    }
}

/// The flags are those of the subtraction; a selection is an `if` inside a term.
#[test]
fn flags_and_selections() {
    assert_eq!(
        edges_of("CMP W0,#1; CSEL W2,W4,W5,NE; CSET W6,GE; B.LS L; MOV W0,#2; L:;"),
        [
            "0 -> 1 do assign $N = X0 - 1 < 0; assign $Z = X0 - 1 == 0; \
             assign $C = 4294967295:i64 & X0 >= 1; assign $V = (X0 ^ 1) & (X0 ^ X0 - 1) < 0",
            "1 -> 2 do assign X2 = (if !$Z then 0:i64 | X4 else X5)",
            "2 -> 3 do assign X6 = (if $N == $V then 1 else 0)",
            "3 -> 5 when !($C && !$Z)",
            "3 -> 4 when $C && !$Z",
            "4 -> 5 do assign X0 = 2",
        ]
    );
}

#[test]
fn what_is_wrong_has_a_place() {
    let problem = |instruction: &str| {
        problem(&format!("AArch64 t\n{{ 0:X1=x; }}\n P0 ;\n {instruction} ;\nexists (x=1)\n"))
    };
    assert_eq!(problem("BL L"), ("litmus-unsupported", 4, 2));
    assert_eq!(problem("MRS X0,CTR_EL0"), ("litmus-unsupported", 4, 2));
    assert_eq!(problem("LDR Q0,[X1]"), ("litmus-unsupported", 4, 2));
    assert_eq!(problem("STG X0,[X1]").0, "litmus-unsupported");
    assert_eq!(problem("FROB X0"), ("litmus-unknown-instruction", 4, 2));
    assert_eq!(problem("LDR W31,[X1]"), ("litmus-unknown-register", 4, 6));
    assert_eq!(problem("LDR W0,[W1]").0, "litmus-syntax");
    assert_eq!(problem("DMB XX"), ("litmus-syntax", 4, 6));
    assert_eq!(problem("LSL W0,W0,#32").0, "litmus-syntax");
    assert_eq!(problem("CBZ W0,M"), ("litmus-unknown-label", 4, 9));
}

#[test]
fn damaged_texts_never_panic() {
    survives_damage(
        "AArch64 t\n{ 0:X1=x; 0:X3=y; int64_t 0:X4=2; }\n P0 | P1 ;\n LDR W0,[X1,W2,SXTW #2] | CAS W0,W1,[X3] ;\n\
         ADDS X4,X4,W0,UXTB 3 | LDSMAXALB W0,W1,[X3] ;\n UBFM W5,W6,#7,#2 | LDP X0,X2,[X3,#16]! ;\n\
         MOVK X4,#1,LSL #48 | B.HI L0 ;\n REV64 X5,X4 | L0: TBZ X4,#63,L0 ;\nexists (0:X4=1)\n",
    );
}

/// Bare symbolic registers are `X` registers; the stack pointer is a register like others; `ABS` computes and
/// does not select.
#[test]
fn less_common_registers() {
    assert_eq!(
        edges("AArch64 test\n{ %a=x; 0:SP=x; }\n P0 ;\n LDR W%b,[%a] ; LDR W2,[SP] ;\nexists (x=1)\n"),
        [
            "0 -> 1 do load \"%b\" from &x; assign \"%b\" = 4294967295:i64 & \"%b\"",
            "1 -> 2 do load X2 from &x"
        ]
    );
    let edges = edges_of("ABS X0,X2;");
    assert!(edges.len() == 1 && !edges[0].contains("if"), "{edges:?}");
}
