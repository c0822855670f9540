import * as Data from "effect/Data"
import type { ChildFailure } from "../AuditJob.ts"

/** Why the child process has no report. */
export class ChildFailed extends Data.TaggedError("ChildFailed")<ChildFailure> {}
