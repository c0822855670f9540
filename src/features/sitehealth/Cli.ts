import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { described } from "../../foundation/terminal/CommandLine.ts"
import { argument, json, option, print, readInput } from "../../foundation/terminal/Output.ts"
import { account } from "../accounts/Cli.ts"
import { ProjectId } from "../projects/Domain.ts"
import { NewSchedule, ScheduleId } from "./schedules/Api.ts"
import { Schedules } from "./schedules/Schedules.ts"

const project = option("project", ProjectId).pipe(
  Options.withDescription("id of the site, as `projects list` shows it")
)

const readSchedule = readInput(NewSchedule)

const given = <A>(name: string, value: Option.Option<A>) =>
  Option.match(value, { onNone: () => ({}), onSome: (value) => ({ [name]: value }) })

const add = Command.make(
  "add",
  {
    account,
    every: Options.text("every").pipe(
      Options.withDefault("1d"),
      Options.withDescription("interval between two crawls: 6h to 30d, 1d by default")
    ),
    externalLinks: Options.boolean("check-external-links").pipe(
      Options.withDescription("also check external links, 200 pages at most")
    ),
    json,
    maxPages: Options.optional(
      Options.integer("max-pages").pipe(Options.withDescription("maximum number of pages; the plan's limit by default"))
    ),
    noDeadLinks: Options.boolean("no-dead-links").pipe(Options.withDescription("do not check for broken links")),
    project,
    url: Options.optional(Options.text("url").pipe(Options.withDescription("start URL; the site's root by default")))
  },
  ({ account, every, externalLinks, json, maxPages, noDeadLinks, project, url }) =>
    Effect.gen(function* () {
      const schedules = yield* Schedules
      const schedule = yield* readSchedule({
        check_dead_links: !noDeadLinks,
        check_external_links: externalLinks,
        every,
        ...given("max_pages", maxPages),
        ...given("url", url)
      })
      yield* print(yield* schedules.add(yield* account, project, schedule), json)
    })
).pipe(
  Command.withDescription(
    described(
      "crawl a site at an interval, on any worker; the first crawl starts immediately",
      "site-health schedule add --account $ACCOUNT --project $PROJECT --every 1d"
    )
  )
)

const list = Command.make("list", { account, json, project }, ({ account, json, project }) =>
  Effect.gen(function* () {
    const schedules = yield* Schedules
    yield* print(yield* schedules.list(yield* account, project, { after: undefined, count: 1000 }), json)
  })
).pipe(
  Command.withDescription(
    described("list the crawl schedules of a site", "site-health schedule list --account $ACCOUNT --project $PROJECT")
  )
)

const remove = Command.make(
  "remove",
  { account, id: argument("id", ScheduleId), json, project },
  ({ account, id, json, project }) =>
    Effect.gen(function* () {
      const schedules = yield* Schedules
      const of = yield* account
      const schedule = yield* schedules.get(of, project, id)
      yield* schedules.remove(of, project, id)
      yield* print(schedule, json)
    })
).pipe(
  Command.withDescription(
    described(
      "delete a crawl schedule; its crawls stay",
      "site-health schedule remove --account $ACCOUNT --project $PROJECT 7f0c5c0e-3f0a-4a7e-9f43-2b8d6a1c9e11"
    )
  )
)

const schedule = Command.make("schedule").pipe(
  Command.withDescription("recurring crawls"),
  Command.withSubcommands([add, list, remove])
)

/** `site-health …` */
export const siteHealth = Command.make("site-health").pipe(
  Command.withDescription("crawls of a site"),
  Command.withSubcommands([schedule]),
  Command.provide(Schedules.Default)
)
