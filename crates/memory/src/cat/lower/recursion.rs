//! `let rec … and …`.
//!
//! Bodies of functions make recursive functions, which only a bound on calls ends. Otherwise the names
//! are the variables of a fixpoint group. Their types come from running the definition as herd would:
//! all names start as `0`, which has no type yet, and each round gives types to those whose bodies have
//! one. Then the bodies are lowered once more, with typed variables in place.

use std::rc::Rc;

use wattle_program::Name;
use wattle_source::Span;

use super::super::core::{Group, NodeId, Type};
use super::super::syntax::{Binding, ExprKind, Pattern};
use super::{Closure, Lower, Lowered, Scope, Value, unsupported};

impl Lower<'_> {
    pub(super) fn recursive(&mut self, bindings: &[Binding], scope: &Scope) -> Lowered<Vec<(Name, Value)>> {
        let mut names: Vec<Name> = Vec::with_capacity(bindings.len());
        for binding in bindings {
            match &binding.pattern {
                Pattern::One(Some(name)) => names.push(name.name.clone()),
                _ => return unsupported(binding.body.span, "a pattern in `let rec`"),
            }
        }
        let functions: Vec<_> = (bindings.iter().zip(&names))
            .filter_map(|(binding, name)| match &binding.body.kind {
                ExprKind::Function(function) => Some((name.clone(), function.clone())),
                _ => None,
            })
            .collect();
        if functions.is_empty() {
            return self.fixpoint(bindings, names, scope);
        }
        if functions.len() < bindings.len() {
            return unsupported(span_of(bindings), "`let rec` of functions together with sets or relations");
        }
        let group = Rc::new(functions);
        let closure = |(name, function): &(Name, _)| {
            let (function, scope, group) = (std::sync::Arc::clone(function), scope.clone(), group.clone());
            (name.clone(), Value::Function(Rc::new(Closure { function, scope, group })))
        };
        Ok(group.iter().map(closure).collect())
    }

    fn fixpoint(
        &mut self,
        bindings: &[Binding],
        names: Vec<Name>,
        scope: &Scope,
    ) -> Lowered<Vec<(Name, Value)>> {
        let types = self.types(bindings, &names, scope)?;
        let group = self.builder.groups.len() as u32;
        // Takes its number now: groups inside the bodies come after it.
        self.builder.groups.push(Group { bodies: Vec::new(), monotone: true });
        let mut inside = scope.clone();
        for (number, (name, of)) in names.iter().zip(&types).enumerate() {
            let variable = self.builder.variable(group, number as u32, *of);
            inside.bind(name, Value::Node(variable));
        }
        let mut bodies: Vec<NodeId> = Vec::with_capacity(bindings.len());
        let mut monotone = true;
        for (binding, of) in bindings.iter().zip(&types) {
            let value = self.expression(&binding.body, &inside)?;
            let body = self.typed(value, *of, binding.body.span, "this definition")?;
            let found = self.builder.inspect(body, group);
            if found.foreign {
                return unsupported(
                    binding.body.span,
                    "`let rec` that depends on the names of another around it",
                );
            }
            monotone &= found.monotone;
            bodies.push(body);
        }
        self.builder.groups[group as usize] = Group { bodies, monotone };
        let settled = names.into_iter().zip(types).enumerate().map(|(number, (name, of))| {
            let value = self.builder.fixpoint(group, number as u32, of);
            (name, Value::Node(value))
        });
        Ok(settled.collect())
    }

    fn types(&mut self, bindings: &[Binding], names: &[Name], scope: &Scope) -> Lowered<Vec<Type>> {
        let mut types: Vec<Option<Type>> = vec![None; names.len()];
        loop {
            let before = types.clone();
            for (number, binding) in bindings.iter().enumerate() {
                let mut inside = scope.clone();
                for (name, of) in names.iter().zip(&types) {
                    let value = match of {
                        Some(of) => Value::Node(self.builder.empty(*of)),
                        None => Value::Empty,
                    };
                    inside.bind(name, value);
                }
                let value = self.expression(&binding.body, &inside)?;
                let value = self.plain(value, binding.body.span)?;
                if let (Value::Node(node), None) = (value, types[number]) {
                    types[number] = Some(self.builder.type_of(node));
                }
            }
            if types == before {
                // What has no type by now is always empty.
                return Ok(types.into_iter().map(|of| of.unwrap_or(Type::Relation)).collect());
            }
        }
    }
}

fn span_of(bindings: &[Binding]) -> Span {
    let spans = bindings.iter().map(|binding| binding.body.span);
    spans.reduce(Span::to).unwrap_or(Span::NOWHERE)
}
