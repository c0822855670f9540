/** Platform adapter: the program of the crawl's process, found by the place of this one. */
import * as CommandExecutor from "@effect/platform/CommandExecutor"
import * as BunContext from "@effect/platform-bun/BunContext"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { CrawlEvent } from "../../../crawl/Crawl.ts"
import { CrawlFailed } from "../../../crawl/report/CrawlEvent.ts"
import type { MeasuredPage } from "../../../crawl/report/MeasuredPage.ts"
import { variable } from "../../../foundation/outbound/address/Cidr.ts"
import * as Child from "../../../foundation/process/Child.ts"
import { shortLived } from "../../../foundation/terminal/ShortLived.ts"
import { type CrawlJob, JobLine, type Message, MessageLine } from "./Messages.ts"

const script = new URL("child/main.ts", import.meta.url)

/** Nothing else of this process's environment reaches the one that reads foreign pages: no keys, no database address, no proxies. */
const inherited = ["SSL_CERT_DIR", "SSL_CERT_FILE", "TMPDIR", variable]

const ended = new CrawlFailed({ code: "crawl_failed", message: "The crawl's process ended before its report" })

/** The crawl's events from the messages of its process; the pages of the report are gathered until the rest of it arrives. */
const events = (messages: Stream.Stream<Message>): Stream.Stream<CrawlEvent, CrawlFailed> =>
  Stream.suspend(() => {
    const pages: Array<MeasuredPage> = []
    let finished = false
    const received = Stream.filterMapEffect(
      messages,
      (message): Option.Option<Effect.Effect<CrawlEvent, CrawlFailed>> => {
        switch (message._tag) {
          case "Entry":
            pages.push(message.page)
            return Option.none()
          case "Failed":
            return Option.some(new CrawlFailed({ code: message.code, message: message.message }))
          case "Finished":
            finished = true
            return Option.some(Effect.succeed({ ...message, report: { ...message.report, pages } }))
          default:
            return Option.some(Effect.succeed(message))
        }
      }
    )
    return Stream.concat(
      received,
      Stream.suspend(() => (finished ? Stream.empty : Stream.fail(ended)))
    )
  })

const start = Effect.fnUntraced(function* (job: CrawlJob, env: Readonly<Record<string, string>>) {
  const line = yield* Schema.encode(JobLine)(job)
  // Its input stays open while this process lives: its end tells the child that the reader is gone.
  const input = Stream.concat(Stream.encodeText(Stream.make(`${line}\n`)), Stream.never)
  const child = yield* Child.start({ environment: { ...shortLived, ...env }, input, script })
  const messages = child.stdout.pipe(
    Stream.decodeText(),
    Stream.splitLines,
    Stream.mapEffect(Schema.decode(MessageLine)),
    Stream.orDie
  )
  return events(messages)
})

/** Crawls in processes of their own, which the caller's process does not pay for. */
export const make = Effect.gen(function* () {
  const executor = yield* CommandExecutor.CommandExecutor
  const env = yield* Child.inherited(inherited)
  return (job: CrawlJob) =>
    Stream.unwrapScoped(
      start(job, env).pipe(
        Effect.provideService(CommandExecutor.CommandExecutor, executor),
        Effect.catchAll((error) => Effect.zipRight(Effect.logError("A crawl's process did not start", error), ended))
      )
    )
}).pipe(Effect.provide(BunContext.layer))
