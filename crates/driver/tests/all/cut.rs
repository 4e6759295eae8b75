//! What the front end of C bounds: arguments of main, and arrays whose length only the running program knows. An execution that needs more is cut, so
//! that the answer is *bounded*; what is within the bound is looked at in full.

use wattle_driver::check::check;
use wattle_driver::{Compiler, Input, Watch};
use wattle_report::CheckVerdict;

use super::request;

/// With two of everything.
fn verdict(text: &str) -> String {
    let settings = vec![("instances".to_owned(), "2".to_owned())];
    let input = Input::text("a.c", "c", text).read_with(Compiler::default(), settings);
    let report = check(&request("sc"), &input, &Watch::default()).unwrap().report;
    match &report.verdict {
        CheckVerdict::Unknown { reason } => reason.to_string(),
        verdict => verdict.word().to_owned(),
    }
}

#[test]
fn arguments_are_texts_that_end() {
    let main = "#include <assert.h>
int main(int argc, char **argv) {
  assert(argc >= 0 && argv[argc] == 0);
  for (int i = 0; i < argc; i++) {
    char *letter = argv[i];
    assert(letter != 0);
    while (*letter)
      letter++;
  }
  return 0;
}
";
    assert_eq!(verdict(main), "bounded");
    let first = "#include <assert.h>\nint main(int argc, char *argv[]) { if (argc == 2) assert(argv[1][0] != 'x'); }\n";
    assert_eq!(verdict(first), "unsafe");
    // Nobody looks at the texts, so nothing is cut.
    assert_eq!(
        verdict("#include <assert.h>\nint main(int argc, char **argv) { assert(argc >= 0); }\n"),
        "safe"
    );
    assert_eq!(
        verdict("#include <assert.h>\nint main(int argc, char **argv) { assert(argc < 4000); }\n"),
        "unsafe"
    );
}

#[test]
fn arrays_of_variable_length_have_as_many_elements_as_the_bound_says() {
    let main = "#include <assert.h>
unsigned __VERIFIER_nondet_uint(void);
int main(void) {
  unsigned length = __VERIFIER_nondet_uint();
  if (length == 0)
    return 0;
  int numbers[length], *last[length];
  for (unsigned i = 0; i < length; i++) {
    numbers[i] = i;
    last[i] = &numbers[length - 1];
  }
  assert(ASSERTION);
  return 0;
}
";
    assert_eq!(verdict(&main.replace("ASSERTION", "*last[0] == length - 1 && numbers[0] == 0")), "bounded");
    assert_eq!(verdict(&main.replace("ASSERTION", "*last[0] != 5")), "unsafe");
    let sized = "#include <assert.h>
unsigned __VERIFIER_nondet_uint(void);
int main(void) { unsigned n = __VERIFIER_nondet_uint(); int a[n]; assert(sizeof a == 4 * n); }
";
    assert!(verdict(sized).contains("unsupported"), "{}", verdict(sized));
}
