import * as Schema from "effect/Schema"
import { Category } from "./Domain.ts"

/** How much a finding matters; `info` is advice without a verdict. */
export const Severity = Schema.Literal("critical", "warning", "info").annotations({ identifier: "FixSeverity" })
export type Severity = typeof Severity.Type

/** `fix_` and the Lighthouse audit id: the same finding keeps its id from audit to audit of a page. */
export const FixDirectiveId = Schema.String.pipe(
  Schema.pattern(/^fix_[A-Za-z0-9][A-Za-z0-9_-]{0,79}$/),
  Schema.brand("FixDirectiveId"),
  Schema.annotations({ identifier: "FixDirectiveId" })
)
export type FixDirectiveId = typeof FixDirectiveId.Type

/** What to repair, for people (`human_summary`, `why_it_matters`: no page data) and for a coding agent (`agent_prompt`). */
export const FixDirective = Schema.Struct({
  id: FixDirectiveId,
  category: Category,
  severity: Severity,
  human_summary: Schema.String,
  why_it_matters: Schema.String,
  agent_prompt: Schema.String
}).annotations({ identifier: "FixDirective" })
export type FixDirective = typeof FixDirective.Type
