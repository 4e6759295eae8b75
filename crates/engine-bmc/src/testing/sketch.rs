//! Structures by hand: every event a step of its own, in straight program order.

use wattle_program::symbolic::Expr;
use wattle_program::{Orders, Shape, Tags, ThreadId};

use crate::unroll::structure::{Access, Event, EventId, Structure};

pub(crate) struct Sketch<'a> {
    pub structure: Structure<'a>,
}

impl<'a> Sketch<'a> {
    /// All locations start with 0.
    pub fn new(shape: &'a Shape) -> Sketch<'a> {
        let mut sketch = Sketch { structure: Structure::new(shape) };
        for location in 0..shape.locations.len() {
            let (address, zero) = (sketch.constant(location as i64), sketch.constant(0));
            let always = sketch.constant(1);
            sketch.event(None, Access::Write, address, Some(zero), always);
        }
        sketch
    }

    pub fn constant(&mut self, value: i64) -> Expr {
        self.structure.arena.constant(value)
    }

    /// A write that surely happens.
    pub fn write(&mut self, thread: u32, address: i64, value: Expr) -> EventId {
        let always = self.constant(1);
        self.write_if(thread, always, address, value)
    }

    pub(crate) fn write_if(&mut self, thread: u32, guard: Expr, address: i64, value: Expr) -> EventId {
        let address = self.constant(address);
        self.event(Some(ThreadId(thread)), Access::Write, address, Some(value), guard)
    }

    /// A read that surely happens, and what it returns.
    pub fn read(&mut self, thread: u32, address: i64) -> (EventId, Expr) {
        let (address, always) = (self.constant(address), self.constant(1));
        let event = self.event(Some(ThreadId(thread)), Access::Read, address, None, always);
        (event, self.structure.arena.read(event))
    }

    fn event(
        &mut self,
        thread: Option<ThreadId>,
        access: Access,
        address: Expr,
        written: Option<Expr>,
        guard: Expr,
    ) -> EventId {
        let number = self.structure.events.len() as EventId;
        let before = (0..number)
            .filter(|event| thread.is_some() && self.structure.events[*event as usize].thread == thread)
            .collect();
        self.structure.before.push(before);
        self.structure.events.push(Event {
            access,
            thread,
            step: number,
            guard,
            address,
            written,
            tags: Tags::new(),
            locked: false,
            section: vec![],
            orders: Orders::NONE,
            holds: None,
        });
        number
    }
}
