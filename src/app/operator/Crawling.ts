import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { type CrawlEvent, type CrawlOptions, crawl } from "../../crawl/Crawl.ts"
import { progressLine } from "../../crawl/console/Terminal.ts"
import { CrawlerUrl } from "../../crawl/fetch/UserAgent.ts"
import * as Guarded from "../../foundation/outbound/Guarded.ts"
import { Refused } from "../../foundation/schema/DomainError.ts"
import { isTerminal, replaceLine } from "../../foundation/terminal/Output.ts"

/** Crawls from an address that a person typed, which may be private, with its progress on the terminal's last line, and gives the report. */
export const crawlWithProgress = (seed: URL, options: CrawlOptions) =>
  Effect.gen(function* () {
    const shown = yield* isTerminal
    const last = yield* crawl(seed, { ...options, crawlerUrl: yield* CrawlerUrl }).pipe(
      Stream.tap((event) => Effect.when(replaceLine(progressLine(event)), () => shown)),
      Stream.runFold(Option.none<CrawlEvent>(), (_, event) => Option.some(event)),
      Effect.ensuring(Effect.when(replaceLine(""), () => shown))
    )
    return yield* Option.isSome(last) && last.value._tag === "Finished"
      ? Effect.succeed(last.value.report)
      : new Refused({ message: "The crawl ended without a report" })
  }).pipe(Effect.provide(Guarded.layerFor(seed)))
