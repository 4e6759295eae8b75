//! How many copies there are of a thread: one where its creation is not in a loop.

use wattle_frontend_c::FRONTEND;
use wattle_program::Replicas;

/// The copies of `f` in a text whose `main` has this body.
fn copies(body: &str) -> Replicas {
    let text = format!(
        "typedef unsigned long pthread_t; typedef struct {{ int x; }} pthread_attr_t;\n\
         int pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);\n\
         int x; void *f(void *a) {{ x = 1; return 0; }}\n\
         int main(void) {{ pthread_t t; {body} return 0; }}\n"
    );
    let parsed = FRONTEND.read("creation.i", &text).unwrap_or_else(|problems| panic!("{problems:?}\n{text}"));
    let found = parsed.program.processes.iter().find(|process| &*process.name == "f");
    found.map(|process| process.replicas).unwrap_or_else(|| panic!("{text}"))
}

#[test]
fn a_jump_to_what_follows_makes_no_loop() {
    assert_eq!(copies("pthread_create(&t, 0, f, 0);"), Replicas::Once);
    let out = "if (pthread_create(&t, 0, f, 0)) goto failed; x = 2; failed: x = 3;";
    assert_eq!(copies(out), Replicas::Once);
    assert_eq!(copies("again: pthread_create(&t, 0, f, 0); if (x) goto again;"), Replicas::Exactly(3));
    assert_eq!(copies("while (x) pthread_create(&t, 0, f, 0);"), Replicas::Exactly(3));
}
