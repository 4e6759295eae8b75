//! Executions of well-known shapes under the models of the catalogue.
