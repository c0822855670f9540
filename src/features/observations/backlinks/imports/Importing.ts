import * as Data from "effect/Data"
import type * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { Refused } from "../../../../foundation/schema/DomainError.ts"
import * as Timestamp from "../../../../foundation/schema/Timestamp.ts"
import * as Traced from "../../../../foundation/schema/Traced.ts"
import type { AccountId } from "../../../accounts/Domain.ts"
import { Events } from "../../../events/Events.ts"
import type { ProjectId } from "../../../projects/Domain.ts"
import { OwnersRepo } from "../../../projects/OwnersRepo.ts"
import type { Source } from "../Domain.ts"
import { type Rows, reader } from "../files/BacklinkFile.ts"
import { NotUnpacked, unpacked } from "../files/Unpack.ts"
import { publishLosses } from "../Losses.ts"
import { LossAfter } from "../Settings.ts"
import { type Format, lostAtMost, type Outcome } from "./Domain.ts"
import { lostAtOnce, RowsRepo } from "./RowsRepo.ts"

/** The file is at fault; nothing of it is stored. */
export class FileRefused extends Data.TaggedError("FileRefused")<{
  readonly line: number | null
  readonly reason: string
}> {
  override get message() {
    return this.line === null ? this.reason : `line ${this.line}: ${this.reason}`
  }
}

const empty = new FileRefused({ line: null, reason: "it has no rows" })

/** A file to import, and the moment of which it speaks. */
interface Reading<E> {
  readonly bytes: Stream.Stream<Uint8Array, E>
  readonly format: Format
  readonly project: ProjectId
  readonly takenAt: DateTime.Utc
}

const dropped = ({ own_host, reported_lost, too_long }: Rows) => ({ own_host, reported_lost, too_long })

/** Imports files of backlinks: a file whole or not at all. */
export class Importing extends Effect.Service<Importing>()("backlinks/Importing", {
  dependencies: [Events.Default, OwnersRepo.Default, RowsRepo.Default],
  effect: Effect.gen(function* () {
    const events = yield* Events
    const owners = yield* OwnersRepo
    const repo = yield* RowsRepo
    const apart = Duration.toSeconds(yield* LossAfter)

    /** The parts of a file, one for each slice of its bytes: what comes between them is the database's, so that the node never stands still. */
    const parts = <E>({ bytes, format }: Reading<E>, host: string) =>
      Stream.suspend(() => {
        const file = reader(format, host)
        const read = (piece: Uint8Array, last: boolean) =>
          Effect.suspend(() => {
            const problem = file.push(piece, last)
            if (problem === undefined) return Effect.succeed(file.take())
            return new FileRefused({ line: problem.line === 0 ? null : problem.line, reason: problem.reason })
          })
        return unpacked(bytes).pipe(
          Stream.mapEffect((piece) => Effect.zipRight(Effect.sleep(0), read(piece, false))),
          Stream.concat(Stream.fromEffect(Effect.suspend(() => read(new Uint8Array(0), true)))),
          Stream.filterMap(Option.fromNullable)
        )
      }).pipe(
        Stream.mapError((error) =>
          error instanceof NotUnpacked ? new FileRefused({ line: null, reason: error.reason }) : error
        )
      )

    const newer = Effect.fnUntraced(function* (project: ProjectId, source: Source, takenAt: DateTime.Utc) {
      const newest = yield* repo.newestList({ project, source })
      if (Option.isNone(newest) || newest.value.takenAt.epochMillis < takenAt.epochMillis) return
      return yield* new Refused({
        message: `The newest list of ${source} is of ${Timestamp.format(newest.value.takenAt)}: only a newer one can follow`
      })
    })

    /** Loses the domains that a list proves lost, and publishes that, some at a time; answers the first of their names. */
    const lose = Effect.fnUntraced(function* (
      account: AccountId,
      list: { readonly project: ProjectId; readonly source: Source; readonly takenAt: DateTime.Utc }
    ) {
      yield* repo.loseDomains({ ...list, apart })
      const first: Array<string> = []
      for (let after = "", isMore = true; isMore; ) {
        const lost = yield* repo.lostDomains({ ...list, after })
        const losses = lost.map((loss) => ({ ...loss, links: [] }))
        yield* Effect.provideService(publishLosses(account, list.project, losses), Events, events)
        if (first.length < lostAtMost) first.push(...lost.map(({ domain }) => domain))
        after = lost.at(-1)?.domain ?? ""
        isMore = lost.length === lostAtOnce
      }
      return first.slice(0, lostAtMost)
    })

    /** Imports a file and publishes what its absences prove; `done` runs in the same transaction. */
    const run = Traced.fn("Importing.run")(function* <E, E2 = never>(
      reading: Reading<E>,
      done: (outcome: Outcome) => Effect.Effect<void, E2> = () => Effect.void
    ) {
      const { project, takenAt } = reading
      const account = yield* owners.hold(project)
      const { host } = yield* repo.site(project)
      let outcome: Outcome | undefined
      let isList = false
      yield* Stream.runForEach(parts(reading, host), (rows) =>
        Effect.gen(function* () {
          const { domains, links, of, read, source } = rows
          if (outcome === undefined && of === "domains") yield* newer(project, source, takenAt)
          isList = of === "domains"
          const part = { project, source, takenAt }
          const { made } =
            links.length === 0 ? { made: 0 } : yield* repo.addLinks({ ...part, rows: JSON.stringify(links) })
          if (domains.length > 0) yield* repo.addDomains({ ...part, rows: JSON.stringify(domains) })
          const { own_host, reported_lost, too_long } = dropped(rows)
          outcome = {
            source,
            rows: (outcome?.rows ?? 0) + read,
            links: (outcome?.links ?? 0) + links.length,
            domains: (outcome?.domains ?? 0) + (isList ? domains.length : 0),
            new: (outcome?.new ?? 0) + made,
            dropped: {
              own_host: (outcome?.dropped.own_host ?? 0) + own_host,
              reported_lost: (outcome?.dropped.reported_lost ?? 0) + reported_lost,
              too_long: (outcome?.dropped.too_long ?? 0) + too_long
            },
            lost: []
          }
        })
      )
      const brought: Outcome | undefined = outcome
      if (brought === undefined || brought.rows === 0) return yield* empty
      if (brought.dropped.own_host === brought.rows)
        return yield* new FileRefused({
          line: null,
          reason: `all ${brought.rows} rows are on the site's own host: these are internal links, not backlinks`
        })
      const list = { project, source: brought.source, takenAt }
      if (isList) yield* repo.addList(list)
      const whole = { ...brought, lost: isList ? yield* lose(account, list) : [] }
      yield* done(whole)
      if (brought.links > 0) yield* repo.wake({ account, project })
      return whole
    }, repo.transaction)

    return { run }
  })
}) {}
