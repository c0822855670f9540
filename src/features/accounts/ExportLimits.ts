import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import * as Stream from "effect/Stream"
import { apiError, waitHeaders } from "../../foundation/http/ApiError.ts"
import { Connections } from "../../foundation/http/ServerContext.ts"
import type { AccountId } from "./Domain.ts"

/** Exports of an account that a node makes at once, and things of it that are followed at once. */
const atOnce = { exports: 4, followed: 20 } as const
type Kind = keyof typeof atOnce

/** Seconds for `Retry-After`: when an export ends is up to its reader. */
const wait = 10

/** The pace that a reader must keep: at least `bytes` in each `time`, which is 64 KiB a minute. */
const look = { bytes: 16 * 1024, time: "15 seconds" } as const

/** Bytes by which a reader may be behind, two minutes' worth: a reader at an even pace acknowledges up to 93 KiB at a time. */
const behindAtMost = 128 * 1024

/** Bytes handed to a reader at a time: its pace is measured with this precision. */
export const pieceBytes = 16 * 1024

/** Bytes that the system may hold when an export ends: more of them are waited for, since the server forgets what is sent too slowly after the end. */
const leftAtEnd = 1 << 20

const tooMany = (kind: Kind, what: string) =>
  apiError("quota_exceeded", `${atOnce[kind]} ${what} on this node`, { headers: waitHeaders(atOnce[kind], wait) })

const refusals = {
  exports: tooMany("exports", "exports of the account are under way"),
  followed: tooMany("followed", "answers that follow a run of the account are under way")
}

/** Bounds exports: a few at once for an account, and none for a reader that does not read. */
export class ExportLimits extends Effect.Service<ExportLimits>()("accounts/ExportLimits", {
  effect: Effect.gen(function* () {
    const { backlogOf } = yield* Connections
    const running = { exports: new Map<AccountId, number>(), followed: new Map<AccountId, number>() }

    const enter = (account: AccountId, kind: Kind) =>
      Effect.suspend(() => {
        const count = running[kind].get(account) ?? 0
        if (count >= atOnce[kind]) return refusals[kind]
        running[kind].set(account, count + 1)
        return Effect.void
      })

    const leave = (account: AccountId, kind: Kind) =>
      Effect.sync(() => {
        const count = running[kind].get(account) ?? 0
        if (count > 1) running[kind].set(account, count - 1)
        else running[kind].delete(account)
      })

    /** One of the account's exports, or of the answers that follow something of it, for as long as the request lives. */
    const place = (account: AccountId, kind: Kind = "exports") =>
      Effect.acquireRelease(enter(account, kind), () => leave(account, kind))

    /**
     * The pieces, for a reader that takes 64 KiB of them a minute; the answer to one that falls behind is broken off, after two minutes for one
     * that takes nothing. Bytes in the system's send buffers do not count as taken: they hold some 4 MB, and ask for more only minutes after they are full.
     * `isReading` says that the export waits for the database.
     */
    const watched = <E, R>(pieces: Stream.Stream<Uint8Array, E, R>, isReading: () => boolean) =>
      Effect.gen(function* () {
        const { source } = yield* HttpServerRequest.HttpServerRequest
        let handed = 0
        let breakOff = Effect.void

        const taken = Effect.map(backlogOf(source), (bytes) => handed - bytes)

        const watch = (before: number, behind: number): Effect.Effect<void> =>
          Effect.gen(function* () {
            yield* Effect.sleep(look.time)
            const now = yield* taken
            const missing = isReading() ? 0 : Math.max(0, behind + look.bytes - (now - before))
            if (missing < behindAtMost) return yield* watch(now, missing)
            yield* Effect.logWarning("An export was aborted: its reader took less than 64 KiB a minute")
            yield* breakOff
          })

        // This fiber waits for the reader; the one that makes the pieces does not.
        const begin = Effect.withFiberRuntime<void>((fiber) => {
          breakOff = fiber.interruptAsFork(FiberId.none)
          return Effect.void
        })
        const settled = Effect.repeat(
          Effect.flatMap(backlogOf(source), (bytes) =>
            bytes <= leftAtEnd ? Effect.succeed(true) : Effect.as(Effect.sleep("1 second"), false)
          ),
          { until: (done) => done }
        )
        yield* Effect.forkScoped(watch(0, 0))
        return pieces.pipe(
          Stream.tap(({ length }) =>
            Effect.sync(() => {
              handed += length
            })
          ),
          Stream.onStart(begin),
          Stream.concat(Stream.drain(Stream.fromEffect(settled)))
        )
      })

    return { place, watched }
  })
}) {}
