import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Shares from "../../foundation/database/Shares.ts"
import { Connections, Stopping } from "../../foundation/http/ServerContext.ts"
import type { AccountId } from "../accounts/Domain.ts"
import { ExportLimits } from "../accounts/ExportLimits.ts"
import type { Run, RunId } from "./Domain.ts"
import { Runs } from "./Runs.ts"
import { looks } from "./Waiting.ts"

/** How long nothing may be sent: proxies and clients take a silent connection for a dead one. */
const heartbeat = "15 seconds"

/** What is sent next, and whether nothing follows. */
interface Step {
  readonly text: string
  readonly isLast: boolean
}

const lineOf = (run: Run): Step => ({ isLast: run.finished_at !== null, text: `${JSON.stringify(run)}\n` })

const blank: Step = { isLast: false, text: "\n" }

/** Following a run to its end, a line for each of its states. */
export class Following extends Effect.Service<Following>()("sitehealth/Following", {
  dependencies: [Runs.Default],
  effect: Effect.gen(function* () {
    const runs = yield* Runs
    const stopping = yield* Stopping
    const limits = yield* ExportLimits
    const { backlogOf } = yield* Connections

    /** The run as it is; a run that was deleted has no further state. */
    const now = (account: AccountId, id: RunId) =>
      Effect.match(runs.get(account, id), { onFailure: (): Step => ({ isLast: true, text: "" }), onSuccess: lineOf })

    /** The next state after one that was sent, a blank line when there is none for a while, or the last when this node stops. */
    const next = (account: AccountId, id: RunId, sent: string) =>
      now(account, id).pipe(
        Effect.filterOrFail(
          ({ text }) => text !== sent,
          () => "unchanged"
        ),
        Effect.retry(looks),
        Effect.orElseSucceed(() => blank),
        Effect.timeoutTo({ duration: heartbeat, onSuccess: (step) => step, onTimeout: () => blank }),
        Effect.raceFirst(
          Effect.zipRight(
            stopping.begun,
            Effect.map(now(account, id), (step) => ({ ...step, isLast: true }))
          )
        )
      )

    /** The states of a run from the one that is given, until it is final or this node stops. */
    const lines = (account: AccountId, run: Run): Stream.Stream<string> => {
      const first = lineOf(run)
      const later = Stream.unfoldEffect({ isLast: first.isLast, sent: first.text }, ({ isLast, sent }) =>
        isLast
          ? Effect.succeedNone
          : Effect.map(next(account, run.id, sent), (step) =>
              Option.some([
                step.text,
                { isLast: step.isLast, sent: step.text === blank.text ? sent : step.text }
              ] as const)
            )
      )
      return Stream.concat(
        Stream.succeed(first.text),
        Stream.filter(later, (text) => text !== "")
      )
    }

    /** The same as an answer, broken off for a reader that does not read. It holds one place of the account, and is counted against limits once. */
    const followed = Effect.fnUntraced(function* (account: AccountId, id: RunId) {
      const { source } = yield* HttpServerRequest.HttpServerRequest
      const run = yield* runs.get(account, id)
      yield* limits.place(account, "followed")
      // The stream is read by a fiber that does not descend from the request's.
      const share = yield* FiberRef.get(Shares.current)
      let isBehind = false
      const measured = Effect.map(backlogOf(source), (bytes) => {
        isBehind = bytes > 0
      })
      const pieces = lines(account, run).pipe(
        Stream.tap(() => measured),
        Stream.encodeText,
        Stream.tapErrorCause((cause) => Effect.logWarning("An answer that follows a run failed", cause)),
        Stream.onStart(FiberRef.set(Shares.current, share))
      )
      return HttpServerResponse.stream(yield* limits.watched(pieces, () => !isBehind), {
        contentType: "application/x-ndjson",
        // A proxy that collects an answer before it passes it on would keep its lines back.
        headers: { "x-accel-buffering": "no" }
      })
    })

    return { followed, lines }
  })
}) {}
