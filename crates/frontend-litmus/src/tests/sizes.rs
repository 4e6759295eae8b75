//! Tests in which sizes mix are refused, by that name; those in which they do not are read.

use super::read;

/// What is said about a test, if it is refused.
fn refusal(text: &str) -> Option<String> {
    let problems = read(text).err()?;
    Some(problems.iter().map(|problem| problem.message.clone()).collect::<Vec<_>>().join("; "))
}

fn test(architecture: &str, init: &str, rows: &[&str], condition: &str) -> String {
    let threads = rows[0].split('|').enumerate().map(|(number, _)| format!("P{number}"));
    let head = threads.collect::<Vec<_>>().join(" | ");
    format!("{architecture} test\n{{ {init} }}\n {head} ;\n {} ;\n{condition}\n", rows.join(" ;\n "))
}

fn mixed(architecture: &str, init: &str, rows: &[&str], condition: &str) {
    let text = test(architecture, init, rows, condition);
    let refused = refusal(&text).unwrap_or_else(|| panic!("this is read:\n{text}"));
    assert!(refused.contains("mixed sizes"), "{refused}\n{text}");
}

fn alike(architecture: &str, init: &str, rows: &[&str], condition: &str) {
    let text = test(architecture, init, rows, condition);
    assert_eq!(refusal(&text), None, "{text}");
}

const TWO: &str = "0:X1=x; 1:X1=x;";

#[test]
fn accesses_of_two_sizes() {
    let two = |one: &str, other: &str| mixed("AArch64", TWO, &[&format!("{one} | {other}")], "exists (x=0)");
    two("STR W0,[X1]", "LDR X2,[X1]");
    two("STR W0,[X1]", "LDRB W2,[X1]");
    two("STRH W0,[X1]", "LDRSB W2,[X1]");
    two("STLR W0,[X1]", "LDAR X2,[X1]");
    two("LDXR W0,[X1]", "STR X2,[X1]");
    two("SWP W0,W2,[X1]", "LDR X2,[X1]");
    two("CASB W0,W2,[X1]", "LDR W2,[X1]");
    two("LDADDH W0,W2,[X1]", "LDR W2,[X1]");
    two("LDRSW X0,[X1]", "STR X2,[X1]");
    alike("AArch64", TWO, &["STR X0,[X1] | LDR X2,[X1]"], "exists (x=0)");
    alike("AArch64", TWO, &["STRB W0,[X1] | LDRB W2,[X1]"], "exists (x=0)");
}

#[test]
fn the_declared_size() {
    let both = "uint64_t x; 0:X1=x; 1:X1=x;";
    mixed("AArch64", both, &["STR W0,[X1] | LDR W2,[X1]"], "exists (x=0)");
    mixed("AArch64", "int x; 0:X1=x; 1:X1=x;", &["STR X0,[X1] | LDR X2,[X1]"], "exists (x=0)");
    mixed("AArch64", "uint64_t x[2]; 0:X1=x;", &["STR W0,[X1]", "STR W0,[X1]"], "exists (x[0]=0)");
    alike("AArch64", both, &["STR X0,[X1] | LDR X2,[X1]"], "exists (x=0)");
    // One access meets no other.
    alike("AArch64", "uint64_t x; 0:X1=x;", &["STRH W0,[X1]"], "exists (x=0)");
}

#[test]
fn parts_of_cells() {
    mixed("AArch64", "0:X1=x;", &["STR W0,[X1,#4]"], "exists (x=0)");
    mixed("AArch64", "0:X1=x;", &["ADD X2,X1,#4", "STR W0,[X2]"], "exists (x=0)");
    mixed("AArch64", "0:X1=x;", &["LDR W0,[X1],#4", "LDR W2,[X1]"], "exists (x=0)");
    mixed("AArch64", "uint64_t x; 0:X1=x;", &["STP W0,W2,[X1]"], "exists (x=0)");
    mixed("AArch64", "uint32_t x[4]; 0:X1=x;", &["STP X0,X2,[X1]"], "exists (x[0]=0)");
    mixed("AArch64", "uint8_t x[4]; 0:X1=x;", &["LDR W0,[X1]", "LDRB W2,[X1,#1]"], "exists (x[0]=0)");
    mixed("AArch64", "uint128_t x; 0:X1=x;", &["LDP X0,X2,[X1]"], "exists (x=0)");
    mixed("AArch64", "0:X1=x;", &["LDP X0,X2,[X1]"], "exists (x=0)");
    alike("AArch64", "uint32_t x[2]; 0:X1=x;", &["STP W0,W2,[X1]"], "exists (x[0]=0)");
    alike("AArch64", "uint8_t x[4]; 0:X1=x;", &["LDRB W0,[X1,#1]"], "exists (x[0]=0)");
}

#[test]
fn values_of_another_size() {
    mixed("AArch64", "x=0x100000000; 0:X1=x;", &["LDR W0,[X1]"], "exists (x=0)");
    mixed("AArch64", "0:X1=x;", &["STR W0,[X1]"], "exists (x=0x100000001)");
    mixed("AArch64", "x=y; 0:X1=x;", &["LDR W0,[X1]", "LDR W0,[X1]"], "exists (x=0)");
    mixed("AArch64", "0:X1=x;", &["STR W0,[X1]"], "locations [x uint64_t;] exists (x=0)");
    mixed("AArch64", "0:X1=x; 0:X2=y;", &["STR X2,[X1]", "LDR W3,[X1]"], "exists (x=0)");
}

/// Through a register that another access loaded.
#[test]
fn computed_addresses() {
    let pointer = "p=x; 0:X1=p; 1:X1=x;";
    mixed("AArch64", pointer, &["LDR X2,[X1] | STR X2,[X1]", "LDR W3,[X2] |"], "exists (x=0)");
    alike("AArch64", pointer, &["LDR X2,[X1] | STR W2,[X1]", "LDR W3,[X2] |"], "exists (x=0)");
    let index = &["LDR W3,[X1,W2,SXTW] | STR X2,[X1]"];
    mixed("AArch64", TWO, index, "exists (x=0)");
}

#[test]
fn other_architectures() {
    mixed("RISCV", "0:x5=x; 1:x5=x;", &["sd x6,0(x5) | lw x7,0(x5)"], "exists (x=0)");
    mixed("RISCV", "0:x5=x; 1:x5=x;", &["amoswap.d x6,x7,(x5) | lr.w x7,(x5)"], "exists (x=0)");
    mixed("PPC", "0:r5=x; 1:r5=x;", &["std r6,0(r5) | lwz r7,0(r5)"], "exists (x=0)");
    mixed("PPC", "0:r5=x; 1:r5=x;", &["stdcx. r6,r0,r5 | lwarx r7,r0,r5"], "exists (x=0)");
    mixed("ARM", "0:R5=x; 1:R5=x;", &["STRB R6,[R5] | LDR R7,[R5]"], "exists (x=0)");
    mixed("ARM", "uint64_t x; 0:R5=x; 1:R5=x;", &["STR R6,[R5] | LDRD R0,R1,[R5]"], "exists (x=0)");
    mixed("X86", "", &["CMP EAX,EBX | MOV EAX,[x]", "SETE [x] |"], "exists (x=0)");
    mixed("X86", "uint64_t x;", &["MOV [x],$1 | MOV EAX,[x]"], "exists (x=0)");
    alike("PPC", "p=x; 0:r5=p;", &["lwz r6,0(r5)", "lwz r7,0(r6)"], "exists (x=0)");
}
