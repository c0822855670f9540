import * as Data from "effect/Data"
import * as Schema from "effect/Schema"
import { Device } from "../Domain.ts"

/** What the parent writes into the directory of a run for its child process. */
export const AuditJob = Schema.parseJson(
  Schema.Struct({
    url: Schema.String,
    device: Device,
    browser: Schema.String,
    /** Port of the guard proxy. */
    proxy: Schema.Int
  })
)
export type AuditJob = typeof AuditJob.Type

/** The child's answer when there is no report; `detail` is for the log, or the code of a Lighthouse error. */
export const ChildFailure = Schema.parseJson(
  Schema.Struct({
    code: Schema.Literal("browser_failed", "lighthouse_missing", "lighthouse_error"),
    detail: Schema.String
  })
)
export type ChildFailure = typeof ChildFailure.Type

/** Files of a run's directory. */
export const runFiles = { job: "job.json", report: "report.json", failure: "failure.json", profile: "profile" } as const

/** Why the child process has no report. */
export class ChildFailed extends Data.TaggedError("ChildFailed")<ChildFailure> {}
