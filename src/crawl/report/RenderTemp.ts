import * as Schema from "effect/Schema"
export const Render = Schema.Literal("auto", "always", "never").annotations({ identifier: "Render", description: "Which pages a browser renders: `auto`: those that scripts change, `always`: all that run scripts, `never`: none" })
export type Render = typeof Render.Type
