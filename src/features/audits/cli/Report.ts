import * as Effect from "effect/Effect"
import { Refused } from "../../../foundation/schema/DomainError.ts"
import { print } from "../../../foundation/terminal/Output.ts"
import type { AuditRecord } from "../AuditsRepo.ts"

/** Prints what was recorded; a failed audit ends the command with its reason, so that a script notices. */
export const report = (recorded: AuditRecord, asJson: boolean) =>
  Effect.zipRight(
    print(recorded, asJson),
    recorded.failure === null ? Effect.void : new Refused({ message: recorded.failure.message })
  )
