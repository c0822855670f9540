import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import * as Lease from "../../../../foundation/database/Lease.ts"
import type { Engine } from "../Domain.ts"
import * as Client from "../engines/Client.ts"
import { type Asked, asking } from "./Asking.ts"
import { BudgetRepo } from "./BudgetRepo.ts"
import { type Call, CallsRepo, type Claim } from "./CallsRepo.ts"
import { Changes } from "./Changes.ts"
import { Configured } from "./Configured.ts"
import type { Reason } from "./Run.ts"

/** Questions of a run under way at once, and runs of a process. */
const atOnce = { questions: 8, runs: 2 } as const

/** Questions in succession that an engine leaves unanswered before it is not asked any more. */
const failuresAtMost = 5

/** Why questions are left unasked: of one engine, or of all. */
interface State {
  readonly failures: Readonly<Record<Engine, number>>
  readonly stopped: Readonly<Partial<Record<Engine, Reason>>>
}

const none: State = { failures: { anthropic: 0, openai: 0, perplexity: 0, xai: 0 }, stopped: {} }

const stop = (engine: Engine, reason: Reason) => (state: State) => ({
  ...state,
  stopped: { [engine]: reason, ...state.stopped }
})

const stopAll =
  (reason: Reason) =>
  (state: State): State => ({
    ...state,
    stopped: { anthropic: reason, openai: reason, perplexity: reason, xai: reason, ...state.stopped }
  })

/** What a failure says of the engine, after a number of them in succession. */
const reasonOf = (failure: string, inSuccession: number): Reason | undefined => {
  if (failure === "quota" || failure === "credentials") return failure
  return inSuccession >= failuresAtMost ? "unavailable" : undefined
}

/** The end of a question whose answer breaks this program: it costs what was reserved, and no other question. */
const unkept: Asked = {
  end: {
    citations: [],
    error: { code: "invalid_answer", message: "The answer of the engine cannot be read" },
    isExact: false,
    isMentioned: false,
    model: null,
    outcome: "error",
    text: null,
    usd: null
  },
  failure: "invalid_answer"
}

const working = Effect.gen(function* () {
  const budget = yield* BudgetRepo
  const { counts, finish, interrupt, planned, queue, settle } = yield* CallsRepo
  const changes = yield* Changes
  const configured = yield* Configured
  const ask = yield* asking

  /** Charges the upper price of a try that is about to be sent; false at the budget. The lease is held in between. */
  const reserve = (claim: Claim, { id }: Call, usd: number, daily: number) =>
    budget.transaction(
      Effect.gen(function* () {
        yield* Lease.held(budget.holding({ id: claim.id, lease: claim.lease }))
        const charged = yield* budget.charge({ daily, usd })
        if (Option.isNone(charged)) return false
        yield* Lease.held(budget.send({ day: charged.value.day, id, usd }))
        return true
      })
    )

  const one = Effect.fnUntraced(function* (claim: Claim, call: Call, daily: number, state: Ref.Ref<State>) {
    const { engine } = call
    const price = configured.prices[call.model]
    if (price === undefined || Option.isNone(configured.engines[engine].key))
      return yield* Ref.update(state, stop(engine, "not_configured"))
    const charge = reserve(claim, call, price.call, daily)
    // An answer that has come is paid: a stop does not lose it.
    const keep = ({ end }: Asked) => Effect.uninterruptible(settle({ ...end, call: call.id }))
    // What calls under way have reserved, also those of other runs, comes back in part when they are answered: only then is the budget used up.
    while (true) {
      const { stopped } = yield* Ref.get(state)
      if (stopped[engine] !== undefined) return
      if (yield* charge) break
      const { over } = yield* budget.isOver({ daily, usd: price.call })
      if (over) return yield* Ref.update(state, stopAll("budget"))
      yield* Effect.sleep("250 millis")
    }
    const { failure } = yield* ask(claim, call, {
      again: charge,
      price,
      release: budget.release({ id: call.id, usd: price.call })
    }).pipe(
      Effect.tap(keep),
      Effect.catchAllDefect((defect) =>
        Effect.logError(`An answer of ${engine} cannot be read or kept`, Cause.die(defect)).pipe(
          Effect.zipRight(keep(unkept)),
          Effect.as(unkept)
        )
      )
    )
    yield* Ref.update(state, (now) => {
      const inSuccession = failure === null ? 0 : now.failures[engine] + 1
      const next = { ...now, failures: { ...now.failures, [engine]: inSuccession } }
      const reason = failure === null ? undefined : reasonOf(failure, inSuccession)
      return reason === undefined ? next : stop(engine, reason)(next)
    })
  })

  const work = Effect.fnUntraced(function* (claim: Claim) {
    yield* interrupt({ run: claim.id })
    const state = yield* Ref.make(none)
    const daily = Option.getOrUndefined(configured.daily)
    if (daily === undefined) return "not_configured" satisfies Reason
    yield* Effect.forEach(yield* planned({ run: claim.id }), (call) => one(claim, call, daily, state), {
      concurrency: atOnce.questions,
      discard: true
    })
    const { stopped } = yield* Ref.get(state)
    return Object.values(stopped)[0] ?? null
  })

  /** Ends a run with what it has: whole, in part, or nothing. */
  const store = Effect.fnUntraced(function* (claim: Claim, reason: Reason | null) {
    const { id, lease } = claim
    yield* interrupt({ run: id })
    const { answered, done, planned } = yield* counts({ run: id })
    if (answered === 0 && reason !== "budget") {
      yield* finish({ id, lease, reason: reason ?? "no_answers", status: "failed" })
      return
    }
    const isWhole = done === planned
    const { at } = yield* finish({
      id,
      lease,
      reason: isWhole ? null : (reason ?? "failed"),
      status: isWhole ? "completed" : "partial"
    })
    yield* changes.ended(claim, at)
  })

  yield* Lease.worker({
    atOnce: atOnce.runs,
    broken: (): Reason | null => "failed",
    lost: (): Reason | null => "worker_lost",
    name: "geo run",
    outcome: (reason) => reason ?? "completed",
    queue,
    store,
    work
  })
})

/** The worker over given engines. */
export const layerNoDeps = Layer.scopedDiscard(working).pipe(
  Layer.provide([BudgetRepo.Default, CallsRepo.Default, Changes.Default, Configured.Default])
)

/** Asks the questions of runs, for as long as it lives. */
export const layer = Layer.provide(layerNoDeps, Client.layer)
