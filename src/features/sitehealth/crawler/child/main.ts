/**
 * Platform adapter (`process.exit`): the process of one crawl. The first line of its standard input is the job; its results go to standard output, one
 * message per line. The process ends with its input, because the parent is gone then.
 */
import type { Teardown } from "@effect/platform/Runtime"
import * as BunFileSystem from "@effect/platform-bun/BunFileSystem"
import * as BunPath from "@effect/platform-bun/BunPath"
import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import * as BunSink from "@effect/platform-bun/BunSink"
import * as BunStream from "@effect/platform-bun/BunStream"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { type CrawlEvent, type CrawlFailed, crawl } from "../../../../crawl/Crawl.ts"
import * as Installed from "../../../../crawl/render/Installed.ts"
import * as OutboundLive from "../../../../foundation/outbound/OutboundLive.ts"
import { unshared } from "../../../../foundation/process/Turns.ts"
import * as LogPipe from "../../../../foundation/terminal/LogPipe.ts"
import { escapedLine } from "../../../../foundation/terminal/Terminal.ts"
import { type CrawlJob, JobLine, type Message, MessageLine, optionsOf } from "../Crawler.ts"

const messagesOf = (event: CrawlEvent): ReadonlyArray<Message> =>
  event._tag === "Finished"
    ? [
        ...event.report.pages.map((page): Message => ({ _tag: "Entry", page })),
        { _tag: "Finished", report: { ...event.report, pages: [] } }
      ]
    : [event]

const failed = ({ code, message }: CrawlFailed): Message => ({ _tag: "Failed", code, message })

const perform = (job: CrawlJob) =>
  crawl(new URL(job.url), optionsOf(job)).pipe(
    Stream.mapConcat(messagesOf),
    Stream.catchAll((error) => Stream.succeed(failed(error))),
    Stream.mapEffect(Schema.encode(MessageLine)),
    Stream.map((line) => `${line}\n`),
    Stream.encodeText,
    Stream.run(BunSink.stdout)
  )

/** Reads the job, and ends with the input, because then the parent is gone. */
const listen = (job: Deferred.Deferred<CrawlJob>) =>
  BunStream.stdin.pipe(
    Stream.decodeText(),
    Stream.splitLines,
    Stream.runForEach((line) => Effect.flatMap(Schema.decode(JobLine)(line), (read) => Deferred.succeed(job, read))),
    Effect.disconnect
  )

const program = Effect.gen(function* () {
  const job = yield* Deferred.make<CrawlJob>()
  yield* Effect.raceFirst(Effect.flatMap(Deferred.await(job), perform), listen(job))
})

/** Reading standard input may still be in progress, which would keep the process alive. */
const teardown: Teardown = (exit) => process.exit(Exit.isSuccess(exit) ? 0 : 1)

const logs = Logger.replace(Logger.defaultLogger, Logger.withConsoleError(escapedLine(Logger.logfmtLogger)))

const renderer = Layer.provide(Installed.configured, Layer.merge(BunFileSystem.layer, BunPath.layer))

// Logs go to the server's log, which may have a slow reader; standard output is only for messages.
const { reporting, through } = LogPipe.make()

program.pipe(
  unshared,
  reporting,
  Effect.provide(Layer.mergeAll(OutboundLive.layer, renderer, logs)),
  through,
  (effect) => BunRuntime.runMain(effect, { disablePrettyLogger: true, teardown })
)
