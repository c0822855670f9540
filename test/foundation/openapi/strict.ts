/** Options of a strict compiler for generated clients, as bundlers use it. */
export const strict = {
  compilerOptions: {
    lib: ["ESNext", "DOM", "DOM.Iterable"],
    module: "ESNext",
    moduleResolution: "bundler",
    noEmit: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    strict: true,
    target: "ES2022",
    types: []
  }
}
