import type * as CommandExecutor from "@effect/platform/CommandExecutor"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { Outbound, type OutboundError } from "../../../foundation/outbound/Outbound.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import type { Device } from "../Domain.ts"
import type { LighthouseReport } from "../report/LighthouseReport.ts"
import { maxReportBytes, parseReport } from "../report/ParseReport.ts"
import { plain } from "../report/PlainText.ts"
import { readLighthouse } from "../report/ReadLighthouse.ts"
import { connectionRefused } from "../report/RuntimeError.ts"
import { AuditTimeout } from "../Settings.ts"
import { type AuditRunFailed, childFailure, runFailed } from "./AuditRunFailed.ts"
import { runChild } from "./ChildProcess.ts"
import { findChromium } from "./Equipment.ts"
import { endpointOf, guardProxy } from "./proxy/GuardProxy.ts"
import { AuditJob, ChildFailure, runDirectory, runFiles } from "./RunDirectory.ts"

/** Produces a Lighthouse report of a page, in a process of its own that ends with the effect. */
export class Lighthouse extends Context.Tag("audits/run/Lighthouse")<
  Lighthouse,
  { readonly run: (url: URL, device: Device) => Effect.Effect<LighthouseReport, AuditRunFailed> }
>() {}

const refused = ({ reason }: OutboundError, why: string): AuditRunFailed => {
  if (reason === "blocked_url" || reason === "blocked_address")
    return runFailed("address_refused", `The page is at an address that this installation does not visit${why}.`)
  return reason === "dns"
    ? runFailed("dns_failure", "The host name of the page could not be resolved.")
    : runFailed("page_unreachable", "The page could not be loaded.")
}

/** Checks a page's address before a browser is started for it. The guard proxy checks every connection, but cannot say why it refuses one. */
export const vetPage = Traced.fn("Audits.vetPage")(function* (url: URL) {
  const outbound = yield* Outbound
  yield* Effect.mapError(outbound.vet(url), (error) => refused(error, `: ${error.message}`))
})

/** Checks every address of a report's page: a report about a forbidden redirect target must not get out, nor what that target is. */
export const vetReport = (report: LighthouseReport): Effect.Effect<void, AuditRunFailed, Outbound> =>
  Effect.flatMap(Outbound, (outbound) =>
    Effect.forEach(
      new Set(report.addresses),
      (address) => Effect.mapError(outbound.vet(new URL(address)), (error) => refused(error, "")),
      { discard: true }
    )
  )

const encodeJob = Schema.encode(AuditJob)
const decodeFailure = Schema.decode(ChildFailure)

/** A failing file system or process is a fault of the installation, not of the page. */
const broken = () => runFailed("browser_failed", "The audit process could not be run on this machine.")

const readFailure = Effect.fnUntraced(function* (file: string, complaint: string) {
  const files = yield* FileSystem.FileSystem
  const recorded = yield* files.readFileString(file).pipe(Effect.flatMap(decodeFailure), Effect.option)
  const failure = Option.getOrElse(recorded, () => ({
    code: "browser_failed" as const,
    detail: "no report and no reason"
  }))
  const detail = plain(failure.detail, 300)
  yield* Effect.logWarning("Audit run failed").pipe(Effect.annotateLogs({ code: failure.code, detail, complaint }))
  return yield* childFailure(failure.code, failure.detail)
})

/** Behind a proxy the browser only sees that the page did not load; the proxy knows whether its server refused the connection. */
export const explainRefusal = (report: LighthouseReport, page: URL, refused: ReadonlySet<string>): LighthouseReport =>
  report.runtimeError?.code === "page_unreachable" && refused.has(endpointOf(page))
    ? { ...report, runtimeError: connectionRefused(report.runtimeError.lighthouse_code) }
    : report

const runOnce = Effect.fnUntraced(function* (url: URL, device: Device) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  yield* vetPage(url)
  const browser = yield* findChromium()
  const directory = yield* runDirectory.pipe(Effect.mapError(broken))
  const proxy = yield* guardProxy.pipe(Effect.mapError(broken))
  const job = yield* encodeJob({ url: url.href, device, browser, proxy: proxy.port }).pipe(Effect.orDie)
  const complaint = yield* files
    .writeFileString(path.join(directory, runFiles.job), job)
    .pipe(Effect.zipRight(runChild(directory)), Effect.mapError(broken))
  const file = path.join(directory, runFiles.report)
  const size = yield* files.stat(file).pipe(
    Effect.map((info) => Number(info.size)),
    Effect.orElseSucceed(() => 0)
  )
  if (size === 0) return yield* readFailure(path.join(directory, runFiles.failure), complaint)
  if (size > maxReportBytes) return yield* runFailed("lighthouse_error", "The report of Lighthouse is too large.")
  const bytes = yield* files.readFile(file).pipe(Effect.mapError(broken))
  const read = parseReport(bytes, "Lighthouse").pipe(Either.flatMap((json) => readLighthouse(json, "Lighthouse")))
  const report = yield* Either.mapLeft(read, (error) => runFailed("lighthouse_error", error.message))
  return explainRefusal(report, url, proxy.refused)
})

const make = Effect.gen(function* () {
  const context = yield* Effect.context<
    FileSystem.FileSystem | Path.Path | CommandExecutor.CommandExecutor | Outbound
  >()
  const timeout = yield* AuditTimeout
  /** Concurrent audits would distort each other's measurements. */
  const alone = yield* Effect.makeSemaphore(1)
  const late = () => runFailed("run_timed_out", `The audit took longer than ${Duration.format(timeout)}.`)
  return Lighthouse.of({
    run: Traced.fn("Lighthouse.run")(function* (url, device) {
      const report = yield* Effect.scoped(runOnce(url, device)).pipe(
        Effect.timeoutFail({ duration: timeout, onTimeout: late }),
        alone.withPermits(1)
      )
      yield* vetReport(report)
      return report
    }, Effect.provide(context))
  })
})

/** Lighthouse in a child process on this machine's Chromium, one run at a time; needs the optional package `lighthouse`. */
export const layer = Layer.effect(Lighthouse, make)
