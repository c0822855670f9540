import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Lease from "../../../foundation/database/Lease.ts"
import type { Held, LeaseQueue } from "../../../foundation/database/LeaseQueue.ts"
import { attemptsAtMost } from "../../../foundation/database/Slots.ts"

/** Why a slot is skipped without a start; usually none. */
type SkipReason = Option.Option<string>

const skip = (reason: string) => (): SkipReason => Option.some(reason)

/** Schedules that are due, and what becomes of a slot. */
interface Due<C extends Held, E, R> {
  /** Starts the run of a slot, as its account would, or skips the slot. */
  readonly begin: (claim: C) => Effect.Effect<void, E, R>
  readonly name: string
  readonly queue: LeaseQueue<C>
  readonly skipped: (claim: C, reason: string) => Effect.Effect<void, E>
}

/** Starts the runs of the schedules that are due until its scope ends. */
export const startingDue = <C extends Held, R>({ begin, name, queue, skipped }: Due<C, Lease.LeaseLost, R>) =>
  Lease.worker({
    broken: skip("The server failed to start a run; see its log"),
    lost: skip(`The worker of this schedule stopped ${attemptsAtMost} times in a row`),
    name,
    outcome: Option.match({ onNone: () => "completed", onSome: () => "skipped" }),
    queue,
    // The run, its notification and the next slot are one transaction: a slot starts one run even if the worker dies in between.
    store: (claim, reason: SkipReason) =>
      Option.match(reason, { onNone: () => begin(claim), onSome: (reason) => skipped(claim, reason) }),
    work: () => Effect.succeedNone
  })
