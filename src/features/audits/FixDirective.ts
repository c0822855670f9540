import * as Schema from "effect/Schema"
import { field } from "../../foundation/schema/Field.ts"
import { Category } from "./Domain.ts"

/** How much a finding matters; `info` is advice without a verdict. */
export const Severity = Schema.Literal("critical", "warning", "info").annotations({
  identifier: "FixSeverity",
  description: "How much a finding matters; `info` is advice without a verdict"
})
export type Severity = typeof Severity.Type

/** `fix_` and the Lighthouse audit id: the same finding keeps its id from audit to audit of a page. */
export const FixDirectiveId = Schema.String.pipe(
  Schema.pattern(/^fix_[A-Za-z0-9][A-Za-z0-9_-]{0,79}$/),
  Schema.brand("FixDirectiveId"),
  Schema.annotations({ identifier: "FixDirectiveId", description: "`fix_` and the id of a check" })
)
export type FixDirectiveId = typeof FixDirectiveId.Type

/** What to repair, for people (`human_summary`, `why_it_matters`: no page data) and for a coding agent (`agent_prompt`). */
export const FixDirective = Schema.Struct({
  id: field(FixDirectiveId, "`fix_` and the id of the failing check: the same from audit to audit of a page"),
  category: field(Category, "Category of the failing check"),
  severity: field(Severity, "How much it matters"),
  human_summary: Schema.String.annotations({
    description: "What is wrong, in one sentence for people, without data of the page"
  }),
  why_it_matters: Schema.String.annotations({ description: "What it costs visitors or ranking, for people" }),
  agent_prompt: Schema.String.annotations({
    description:
      "Instruction for a coding agent: goal, evidence fenced as data of the page, steps, limits, and when it is done"
  })
}).annotations({ identifier: "FixDirective", description: "What to repair, for people and for a coding agent" })
export type FixDirective = typeof FixDirective.Type
