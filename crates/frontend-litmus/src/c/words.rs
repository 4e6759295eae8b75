//! The words of C that mean something here: types, memory orders, calls.

use wattle_logic::Binary;
use wattle_program::Orders;

/// Can this word begin a type?
pub(crate) fn begins_type(word: &str) -> bool {
    matches!(
        word,
        "int"
            | "long"
            | "short"
            | "char"
            | "void"
            | "signed"
            | "unsigned"
            | "const"
            | "volatile"
            | "struct"
            | "_Atomic"
            | "_Bool"
            | "bool"
            | "static"
            | "register"
    ) || word.ends_with("_t")
        || word.strip_prefix("atomic_").is_some_and(|rest| ATOMIC_TYPES.contains(&rest))
}

const ATOMIC_TYPES: [&str; 13] = [
    "bool", "char", "schar", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "llong", "ullong",
    "flag",
];

/// The .cat set of a memory order, and what a fence of that order keeps in order.
pub(crate) fn order(word: &str) -> Option<Order> {
    let name = word.strip_prefix("memory_order_")?;
    ORDERS.iter().position(|(text, _, _)| *text == name).map(Order)
}

/// A position in [`ORDERS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Order(pub usize);

impl Order {
    pub(crate) const SEQ_CST: Order = Order(5);
}

/// By C's word: the set, and the pairs that a fence of the order keeps in order on machines that know
/// nothing but such pairs.
pub(crate) const ORDERS: [(&str, &str, Orders); 6] = [
    ("relaxed", "RLX", Orders::NONE),
    ("consume", "CON", Orders(Orders::RR.0 | Orders::RW.0)),
    ("acquire", "ACQ", Orders(Orders::RR.0 | Orders::RW.0)),
    ("release", "REL", Orders(Orders::RW.0 | Orders::WW.0)),
    ("acq_rel", "ACQ_REL", Orders(Orders::RR.0 | Orders::RW.0 | Orders::WW.0)),
    ("seq_cst", "SC", Orders::ALL),
];

/// What a call does. `explicit` calls name their memory orders, the others are sequentially
/// consistent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Call {
    Load,
    Store,
    Init,
    Exchange,
    Fetch(Binary),
    CompareExchange { weak: bool },
    Fence,
}

pub(crate) fn call(word: &str) -> Option<(Call, bool)> {
    let (stem, explicit) = match word.strip_suffix("_explicit") {
        Some(stem) => (stem, true),
        None => (word, false),
    };
    let call = match stem.strip_prefix("atomic_")? {
        "load" => Call::Load,
        "store" => Call::Store,
        "init" => Call::Init,
        "exchange" => Call::Exchange,
        "fetch_add" => Call::Fetch(Binary::Add),
        "fetch_sub" => Call::Fetch(Binary::Subtract),
        "fetch_or" => Call::Fetch(Binary::BitOr),
        "fetch_xor" => Call::Fetch(Binary::BitXor),
        "fetch_and" => Call::Fetch(Binary::BitAnd),
        "compare_exchange_strong" => Call::CompareExchange { weak: false },
        "compare_exchange_weak" => Call::CompareExchange { weak: true },
        // A fence always names its order.
        "thread_fence" => return (!explicit).then_some((Call::Fence, true)),
        _ => return None,
    };
    Some((call, explicit))
}

/// Is this a word of the Linux kernel's interface, which has a model of its own?
pub(crate) fn is_kernel(word: &str) -> bool {
    const NAMES: [&str; 9] = [
        "READ_ONCE",
        "WRITE_ONCE",
        "barrier",
        "spin_lock",
        "spin_unlock",
        "spin_trylock",
        "spin_is_locked",
        "xchg",
        "cmpxchg",
    ];
    const PREFIXES: [&str; 10] =
        ["smp_", "rcu_", "srcu_", "synchronize_", "xchg_", "cmpxchg_", "atomic_", "spin_", "down_", "__"];
    NAMES.contains(&word) || PREFIXES.iter().any(|prefix| word.starts_with(prefix))
}
