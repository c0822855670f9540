import * as SqlClient from "@effect/sql/SqlClient"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import * as Lease from "../../foundation/database/Lease.ts"
import * as LeaseQueue from "../../foundation/database/LeaseQueue.ts"
import * as Query from "../../foundation/database/Query.ts"
import * as Time from "../../foundation/schema/Time.ts"
import { AccountId } from "../accounts/Domain.ts"
import { ProjectId } from "../projects/Domain.ts"
import { Changes, judge } from "./Changes.ts"
import { CallId, Citation, Engine, Outcome, Reason, RunId } from "./Domain.ts"
import { reading } from "./engines/Answer.ts"
import * as Client from "./engines/Client.ts"
import { costOf, type Price, type Usage } from "./engines/Prices.ts"
import { BudgetRepo, Configured } from "./Runs.ts"

const Held = LeaseQueue.Held(RunId)
const OfRun = Schema.Struct({ run: RunId })

/** A run that a worker holds. */
const Claim = Schema.Struct({
  ...Held.fields,
  account: AccountId,
  host: Schema.String,
  names: Schema.Array(Schema.String),
  project: ProjectId,
  prompt_set: Schema.String
})
type Claim = typeof Claim.Type

/** A question to ask. */
const Call = Schema.Struct({
  id: CallId,
  engine: Engine,
  locale: Schema.String,
  model: Schema.String,
  text: Schema.String
})
type Call = typeof Call.Type

/** Why a question has no answer. */
const CallError = Schema.Struct({ code: Schema.String, message: Schema.String })
const error = Schema.NullOr(Schema.parseJson(CallError))

/** The end of a question; `usd` null: the reserved amount stays charged. */
const End = Schema.Struct({
  citations: Schema.parseJson(Schema.Array(Citation)),
  error,
  isExact: Schema.Boolean,
  isMentioned: Schema.Boolean,
  model: Schema.NullOr(Schema.String),
  outcome: Outcome,
  text: Schema.NullOr(Schema.String),
  usd: Schema.NullOr(Schema.Number)
})
type End = typeof End.Type

const interruption = JSON.stringify({
  code: "interrupted",
  message:
    "The server stopped before the answer arrived. Findable does not send this prompt again; the call stays charged"
})

/** The queue of runs, and their questions. */
export class CallsRepo extends Effect.Service<CallsRepo>()("visibility/CallsRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const queue = LeaseQueue.make(sql, {
      account: sql`account_id`,
      attemptsAtMost: LeaseQueue.attemptsAtMost,
      claim: Claim,
      columns: sql`account_id AS account, host, names, project_id AS project, prompt_set`,
      due: sql`status = 'queued'`,
      key: "id",
      name: "geo runs",
      oldest: "created_at",
      table: "visibility_runs",
      whenClaimed: sql`status = 'running'`,
      whenHandedBack: sql`status = 'queued'`
    })

    const planned = Query.all({
      Request: OfRun,
      Result: Call,
      execute: ({ run }) => sql`
        SELECT id, engine, locale, model, prompt AS text FROM visibility_calls WHERE run_id = ${run} AND status = 'planned' ORDER BY number`
    })

    /** Marks questions as interrupted that a dead worker left; they are not asked again. */
    const interrupt = Query.none({
      Request: OfRun,
      execute: ({ run }) => sql`
        UPDATE visibility_calls SET status = 'done', outcome = 'error', error = ${interruption}::json, cost_usd = reserved_usd, cost_exact = false,
          answered_at = clock_timestamp() WHERE run_id = ${run} AND status = 'sent'`
    })

    /** Stores the end of a question; an interrupted one keeps its state and charge. */
    const settle = Query.none({
      Request: Schema.Struct({ call: CallId, ...End.fields }),
      execute: ({ call, citations, error, isExact, isMentioned, model, outcome, text, usd }) => sql`
        WITH call AS (
          SELECT id, reserved_usd, reserved_on, coalesce(${usd}::numeric, reserved_usd) AS cost FROM visibility_calls
          WHERE id = ${call} AND status = 'sent' FOR UPDATE
        ), done AS (
          UPDATE visibility_calls c SET status = 'done', outcome = ${outcome}, is_mentioned = ${isMentioned}, answer = ${text},
            citations = ${citations}::json, error = ${error}::json, model = coalesce(${model}, c.model), cost_usd = call.cost,
            cost_exact = ${isExact}, answered_at = clock_timestamp()
          FROM call WHERE c.id = call.id
        )
        UPDATE visibility_budgets b SET charged_usd = greatest(b.charged_usd - call.reserved_usd + call.cost, 0) FROM call WHERE b.day = call.reserved_on`
    })

    const counts = Query.one({
      Request: OfRun,
      Result: Schema.Struct({ answered: Schema.Int, done: Schema.Int, planned: Schema.Int }),
      execute: ({ run }) => sql`
        SELECT count(*)::int AS planned, count(*) FILTER (WHERE status = 'done')::int AS done,
          count(*) FILTER (WHERE outcome <> 'error')::int AS answered
        FROM visibility_calls WHERE run_id = ${run}`
    })

    const finish = Query.first({
      Request: Schema.Struct({ ...Held.fields, reason: Schema.NullOr(Reason), status: Schema.String }),
      Result: Schema.Struct({ at: Schema.DateTimeUtc }),
      execute: ({ id, lease, reason, status }) => sql`
        UPDATE visibility_runs SET ${LeaseQueue.over(sql)}, status = ${status}, reason = ${reason}, finished_at = clock_timestamp()
        WHERE id = ${id} AND lease = ${lease} RETURNING iso(finished_at) AS at`
    })

    return {
      counts,
      finish: (of: Parameters<typeof finish>[0]) => Lease.held(finish(of)),
      interrupt,
      planned,
      queue,
      settle
    }
  })
}) {}

/** Maximum retries of a question without an answer, and their time limit in milliseconds. */
const retries = { times: 2, within: 180_000 } as const

/** The budget of one question: each try is charged the upper price before its request. */
interface Purse {
  readonly price: Price
  /** Whether a further try was charged; false at the limit of the budget. */
  readonly again: Effect.Effect<boolean, Lease.LeaseLost>
  /** Returns the charge of a try that the engine refused before working. */
  readonly release: Effect.Effect<void>
}

/** The end of a question, and whether the engine is useless for further questions too. */
interface Asked {
  readonly end: End
  readonly failure: Client.AskFailed["code"] | "incomplete" | "search_failed" | null
}

/** Asks an engine a question, with retries, and evaluates the answer. */
const asking = Effect.map(Client.EngineClient, ({ ask }) =>
  Effect.fnUntraced(function* (claim: Claim, { engine, locale, model, text }: Call, purse: Purse) {
    const { price } = purse
    const dialect = Client.dialects[engine]
    const start = yield* Time.now
    let body = dialect.body(model, { locale, text })
    let [tries, pauses, known, inDoubt] = [0, 0, 0, 0]
    let isExact = true

    /** Charges the cost of an answered try; for an unknown cost, or one above the reserved amount, the reserved amount. */
    const pay = (usage: Usage | null) => {
      const cost = usage === null ? null : costOf(price, usage)
      if (cost !== null && cost.usd <= price.call) {
        known += cost.usd
        isExact &&= cost.isExact
        return Effect.void
      }
      inDoubt += price.call
      return Effect.logWarning(
        cost === null
          ? `${engine} reported no usage for an answer of ${model}. Findable counts the call with its highest price, ${price.call} US dollars`
          : `${engine} reported usage of ${cost.usd} US dollars for an answer of ${model}. Findable counts the call with its highest price, ${price.call}. If the model costs more, raise \`call\` in FINDABLE_GEO_PRICES`
      )
    }
    const charged = () => ({ isExact: isExact && inDoubt === 0, usd: known + inDoubt })
    const failed = (code: NonNullable<Asked["failure"]>, message: string): Asked => ({
      end: {
        ...charged(),
        citations: [],
        error: { code, message },
        isExact: false,
        isMentioned: false,
        model: null,
        outcome: "error",
        text: null
      },
      failure: code
    })

    while (true) {
      const got = yield* Effect.either(ask({ body, engine }))
      if (Either.isLeft(got)) {
        const failure = got.left
        if (failure.mayCost) inDoubt += price.call
        else yield* purse.release
        const wait = failure.retryAfter ?? 1000 * 2 ** tries
        const elapsed = (yield* Time.now) - start
        const mayRetry = failure.isPassing && tries < retries.times && elapsed + wait <= retries.within
        if (!mayRetry) return failed(failure.code, failure.message)
        yield* Effect.sleep(wait)
        tries += 1
        if (!(yield* purse.again)) return failed(failure.code, failure.message)
        continue
      }
      const read = reading(dialect, got.right, body)
      if (Either.isLeft(read)) {
        yield* pay(read.left.usage)
        return failed(read.left.code, read.left.message)
      }
      yield* pay(read.right.usage)
      if (read.right._tag === "Answer") {
        const { citations, model, text } = read.right
        const end = { ...judge(read.right, claim), ...charged(), citations, error: null, model, text }
        return { end, failure: null } satisfies Asked
      }
      body = read.right.next
      pauses += 1
      if (pauses > 1 || !(yield* purse.again))
        return failed("incomplete", "The AI assistant paused and did not finish its answer")
    }
  })
)

/** Concurrent questions of a run, and concurrent runs of a process. */
const atOnce = { questions: 8, runs: 2 } as const

/** Consecutive questions without an answer after which an engine is not asked any more. */
const failuresAtMost = 5

/** Why questions are skipped: for one engine, or for all. */
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

/** The reason to stop an engine after a failure, given the number of consecutive failures. */
const reasonOf = (failure: string, inSuccession: number): Reason | undefined => {
  if (failure === "quota" || failure === "credentials") return failure
  return inSuccession >= failuresAtMost ? "unavailable" : undefined
}

/** The end of a question with an answer that breaks this program: it costs the reserved amount, and other questions continue. */
const unkept: Asked = {
  end: {
    citations: [],
    error: { code: "invalid_answer", message: "The response of the AI assistant is not readable" },
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

  /** Charges the upper price of a try before its request, holding the lock; false at the limit of the budget. */
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
    // An answer that has arrived is paid for: a stop does not lose it.
    const keep = ({ end }: Asked) => Effect.uninterruptible(settle({ ...end, call: call.id }))
    // Answered calls return a part of their reserved amount, also in other runs: only without such calls is the budget used up.
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
        Effect.logError(`An answer of ${engine} could not be read or stored`, Cause.die(defect)).pipe(
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

  /** Ends a run with its answers: completed, partial, or failed. */
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
    called: "AI visibility run",
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

/** Asks the questions of runs until its scope ends. */
export const layer = Layer.provide(layerNoDeps, Client.layer)
