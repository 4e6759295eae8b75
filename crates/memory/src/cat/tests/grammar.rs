//! Which operator takes which operands.

use wattle_source::Sources;

use super::super::parse::parse;
use super::super::syntax::{Expr, ExprKind, InstructionKind};
use super::errors;

/// With all parentheses.
fn show(expr: &Expr) -> String {
    let join = |parts: &[Expr], sign: &str| {
        let parts: Vec<String> = parts.iter().map(show).collect();
        format!("({})", parts.join(sign))
    };
    match &expr.kind {
        ExprKind::Name(name) => name.to_string(),
        ExprKind::Empty => "0".into(),
        ExprKind::Universe => "_".into(),
        ExprKind::Union(parts) => join(parts, "|"),
        ExprKind::Intersection(parts) => join(parts, "&"),
        ExprKind::Sequence(parts) => join(parts, ";"),
        ExprKind::Difference(parts) => join(parts, "\\"),
        ExprKind::Tuple(parts) => join(parts, ","),
        ExprKind::Product(one, other) => format!("({}*{})", show(one), show(other)),
        ExprKind::Complement(inner) => format!("(~{})", show(inner)),
        ExprKind::Star(inner) => format!("({}*)", show(inner)),
        ExprKind::Plus(inner) => format!("({}+)", show(inner)),
        ExprKind::Maybe(inner) => format!("({}?)", show(inner)),
        ExprKind::Inverse(inner) => format!("({}^-1)", show(inner)),
        ExprKind::Identity(inner) => format!("[{}]", show(inner)),
        ExprKind::Apply(function, argument) => format!("{}@{}", show(function), show(argument)),
        ExprKind::Try(first, second) => format!("(try {} with {})", show(first), show(second)),
        ExprKind::Let { body, .. } => format!("(let {})", show(body)),
        ExprKind::Function(function) => format!("(fun {})", show(&function.body)),
        ExprKind::If(_, then, otherwise) => format!("(if {} {})", show(then), show(otherwise)),
        ExprKind::Unsupported(what) => format!("<{what}>"),
    }
}

fn shown(text: &str) -> String {
    let (sources, file) = Sources::single("test.cat", &format!("let x = {text}"));
    let parsed = parse(&sources, file).unwrap_or_else(|problem| panic!("{text}: {}", problem.message));
    let InstructionKind::Let { bindings, .. } = &parsed.instructions[0].kind else { panic!("a let") };
    show(&bindings[0].body)
}

#[test]
fn operators_bind_as_in_herd() {
    let table = [
        // The traps that public models step into.
        ("a & b ; c", "((a&b);c)"),
        ("rf & ext; [S]", "((rf&ext);[S])"),
        ("a \\ b ; c", "((a\\b);c)"),
        ("a | b & c;d", "(a|((b&c);d))"),
        // Each pair of neighbours in the table, both ways round.
        ("a | b ; c", "(a|(b;c))"),
        ("a ; b | c", "((a;b)|c)"),
        ("a ; b \\ c", "(a;(b\\c))"),
        ("a \\ b & c", "(a\\(b&c))"),
        ("a & b \\ c", "((a&b)\\c)"),
        ("a \\ b \\ c", "(a\\b\\c)"),
        ("a & W * R", "(a&(W*R))"),
        ("W * R & a", "((W*R)&a)"),
        ("W * R \\ a", "((W*R)\\a)"),
        ("~a & b", "((~a)&b)"),
        ("~a^-1", "(~(a^-1))"),
        ("~ ~a", "(~(~a))"),
        ("a ; b*", "(a;(b*))"),
        ("a & b+", "(a&(b+))"),
        ("a^-1 ; b", "((a^-1);b)"),
        ("a*^-1", "((a*)^-1)"),
        ("a^-1+?", "(((a^-1)+)?)"),
        ("prop & (W*W) | (c? ; p*; s; h*)", "((prop&(W*W))|((c?);(p*);s;(h*)))"),
        ("sb | sbl; hb; sbl | mo", "(sb|(sbl;hb;sbl)|mo)"),
        // A star is a product where an operand follows.
        ("a* ; b", "((a*);b)"),
        ("a* | b", "((a*)|b)"),
        ("A * B", "(A*B)"),
        ("A*(B|C)", "(A*(B|C))"),
        ("A * _", "(A*_)"),
        ("A*{}", "(A*0)"),
        ("r*)".trim_end_matches(')'), "(r*)"),
        ("[r*; s]", "[((r*);s)]"),
        ("a* * b", "((a*)*b)"),
        ("A * b^-1", "(A*(b^-1))"),
        // Application is tightest and takes one simple operand at a time.
        ("f x | y", "(f@x|y)"),
        ("f(x)*", "(f@x*)"),
        ("f(x, y) & z", "(f@(x,y)&z)"),
        ("f x y", "f@x@y"),
        ("f(x)^-1", "(f@x^-1)"),
        ("domain(a | b)", "domain@(a|b)"),
        ("f [S]", "f@[S]"),
        ("f 0", "f@0"),
        // Names hold dots, dashes and a prime; `-1` does not belong to one.
        ("po-loc | fence.rw.rw", "(po-loc|fence.rw.rw)"),
        ("a-b", "a-b"),
        ("rf' ; _RMW", "(rf';_RMW)"),
        ("a^-1;b-1", "((a^-1);b-1)"),
        // What reaches as far as it can.
        ("try X with {} | Y", "(try X with (0|Y))"),
        ("(try X with {})|(try A with {})", "((try X with 0)|(try A with 0))"),
        ("let y = a in y | b", "(let (y|b))"),
        ("begin a | b end ; c", "((a|b);c)"),
        ("fun x->x|y", "(fun (x|y))"),
        ("if \"v\" then a else b | c", "(if a (b|c))"),
        ("if not \"v\" && (\"w\" || \"u\") then a else b", "(if a b)"),
        ("a ++ b", "<`++`>"),
        ("match S with || {} -> {} || e ++ S -> f e ++ g S end", "<`match`>"),
        ("a (* one (* two *) *) | b // three", "(a|b)"),
    ];
    for (text, expected) in table {
        assert_eq!(shown(text), expected, "{text}");
    }
    assert_eq!(shown("r* let y = s"), "(r*)", "the next instruction is no operand");
    assert_eq!(shown("r* ~empty r"), "(r*)", "nor is a negated test");
    assert_eq!(shown("r # no operand\n| s"), "(r|s)");
}

#[test]
fn operators_of_one_strength_need_parentheses() {
    for text in ["~a*", "~a+", "A * B * C", "A * b+", "A * b?", "A * ~B", "~A * B"] {
        let found = errors(&format!("let x = {text}"));
        assert_eq!(found.len(), 1, "{text}");
        assert_eq!(found[0].0, "cat-ambiguous", "{text}");
    }
}

#[test]
fn titles_come_in_all_forms() {
    let title = |text: &str| {
        let (sources, file) = Sources::single("test.cat", text);
        parse(&sources, file).expect("reads").title
    };
    assert_eq!(title("X86 TSO\nlet x = po"), Some("X86 TSO".into()));
    assert_eq!(title("RISCV \"partial order\" let x = po"), Some("RISCV partial order".into()));
    assert_eq!(title("\"Generate co's\" withoutco let x = po"), Some("Generate co's".into()));
    assert_eq!(title("Cross\n(* c *)\nlet x = po"), Some("Cross".into()));
    assert_eq!(title("let x = po"), None);
    assert_eq!(title(""), None);
}
