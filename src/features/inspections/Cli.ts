import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type Invalid, Refused } from "../../foundation/schema/DomainError.ts"
import { described } from "../../foundation/terminal/CommandLine.ts"
import { json, print, readInput } from "../../foundation/terminal/Output.ts"
import { limit, project, siteOf } from "../rankings/CliImport.ts"
import { type Site, SitesRepo } from "../rankings/Site.ts"
import { Inspect, InspectionFilters } from "./Api.ts"
import { Inspections } from "./Inspections.ts"

const refused = ({ details }: Invalid) =>
  new Refused({ message: details.map(({ message, path }) => `${path} ${message}`).join("; ") })

/** Reads the words after the options like a body of the API: URLs or, with `--from-run`, an optional id of a run. */
const requestOf = Effect.fnUntraced(function* (isFromRun: boolean, words: ReadonlyArray<string>) {
  const [run, ...others] = words
  if (isFromRun && others.length > 0)
    return yield* new Refused({ message: "--from-run takes the ID of one crawl and no URLs" })
  const input = isFromRun ? { from: "run", ...(run === undefined ? {} : { run_id: run }) } : { urls: words }
  return yield* readInput(Inspect)(input)
})

const queue = Effect.fnUntraced(function* (site: Site, isFromRun: boolean, words: ReadonlyArray<string>) {
  const { queue } = yield* Inspections
  return yield* Effect.catchTag(queue(site.account, site.id, yield* requestOf(isFromRun, words)), "Invalid", refused)
})

const list = Effect.fnUntraced(function* (site: Site, filters: object, count: number) {
  const { list } = yield* Inspections
  const { changed_since: changedSince, verdict } = yield* readInput(InspectionFilters)(filters)
  const found = yield* list(site.account, site.id, { changedSince, verdict }, { after: undefined, count })
  return found.map(({ created_at: _, ...inspection }) => inspection)
})

/** `rankings inspect`: queues URLs or, without URLs, lists inspections. */
export const inspect = Command.make(
  "inspect",
  {
    changedSince: Options.text("changed-since").pipe(
      Options.withDescription("List only inspections that changed since this time, such as 2026-11-20T00:00:00Z"),
      Options.optional
    ),
    fromRun: Options.boolean("from-run").pipe(
      Options.withDescription("Inspect the pages of the latest finished crawl, or of the crawl with the ID RUN")
    ),
    json,
    limit,
    project,
    verdict: Options.text("verdict").pipe(
      Options.withDescription("List only inspections with this result of Google, such as FAIL"),
      Options.optional
    ),
    words: Args.text({ name: "URL|RUN" }).pipe(
      Args.withDescription(
        "URLs to inspect, or the ID of a crawl with --from-run. Lists the inspections if you give neither"
      ),
      Args.repeated
    )
  },
  ({ changedSince, fromRun, json, limit, project, verdict, words }) =>
    Effect.gen(function* () {
      const site = yield* siteOf(project)
      const filters = {
        ...(Option.isSome(changedSince) ? { changed_since: changedSince.value } : {}),
        ...(Option.isSome(verdict) ? { verdict: verdict.value } : {})
      }
      const isList = !fromRun && words.length === 0
      if (!isList && Object.keys(filters).length > 0)
        return yield* new Refused({
          message: "--verdict and --changed-since filter the list: use them without URLs and without --from-run"
        })
      yield* print(yield* isList ? list(site, filters, limit) : queue(site, fromRun, words), json)
    })
).pipe(
  Command.withDescription(
    described(
      "Inspect URLs with Google's URL Inspection, or list the inspections",
      "rankings inspect --project $PROJECT --from-run"
    )
  ),
  Command.provide(Inspections.Default),
  Command.provide(SitesRepo.Default)
)
