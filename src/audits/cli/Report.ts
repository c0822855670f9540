import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { print } from "../../terminal/Output.ts"
import type { Recorded } from "../Recorded.ts"

/** The audit was recorded, and it failed: a script must notice. */
export class AuditFailed extends Data.TaggedError("AuditFailed")<{ readonly message: string }> {}

/** Prints what was recorded; a failed audit ends the command with its reason. */
export const report = (recorded: Recorded, asJson: boolean) =>
  Effect.zipRight(
    print(recorded, asJson),
    recorded.failure === null ? Effect.void : new AuditFailed({ message: recorded.failure.message })
  )
