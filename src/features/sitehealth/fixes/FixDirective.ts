import * as Schema from "effect/Schema"
import { Category, Severity } from "../../../crawl/report/Finding.ts"
import { FixDirective as AuditDirective } from "../../audits/FixDirective.ts"

/** What to repair of a site, for people and for a coding agent: the form of an audit's directives, with the categories of findings. */
export const FixDirective = Schema.Struct({
  ...AuditDirective.fields,
  category: Category,
  severity: Severity
}).annotations({ identifier: "SiteHealthFixDirective" })
export type FixDirective = typeof FixDirective.Type
