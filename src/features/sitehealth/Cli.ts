import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Render } from "../../crawl/report/Rendering.ts"
import { described } from "../../foundation/terminal/CommandLine.ts"
import { argument, json, option, print, readInput } from "../../foundation/terminal/Output.ts"
import { account } from "../accounts/Cli.ts"
import { ProjectId } from "../projects/Domain.ts"
import { NewSchedule, ScheduleId } from "./schedules/Api.ts"
import { Schedules } from "./schedules/Schedules.ts"

const project = option("project", ProjectId).pipe(Options.withDescription("ID of the site, from `projects list`"))

const readSchedule = readInput(NewSchedule)

const given = <A>(name: string, value: Option.Option<A>) =>
  Option.match(value, { onNone: () => ({}), onSome: (value) => ({ [name]: value }) })

const add = Command.make(
  "add",
  {
    account,
    every: Options.text("every").pipe(
      Options.withDefault("1d"),
      Options.withDescription("Time between two crawls, 6h to 30d (default: 1d)")
    ),
    externalLinks: Options.boolean("check-external-links").pipe(
      Options.withDescription("Also check links to other sites, up to 200")
    ),
    json,
    maxPages: Options.optional(
      Options.integer("max-pages").pipe(Options.withDescription("Most pages to crawl (default: the limit of the plan)"))
    ),
    noDeadLinks: Options.boolean("no-dead-links").pipe(Options.withDescription("Skip the check for broken links")),
    project,
    render: Options.choice("render", Render.literals).pipe(
      Options.withDefault("auto" as const),
      Options.withDescription("Render pages in a browser: auto, always or never (default: auto)")
    ),
    url: Options.optional(Options.text("url").pipe(Options.withDescription("Start URL (default: the home page)")))
  },
  ({ account, every, externalLinks, json, maxPages, noDeadLinks, project, render, url }) =>
    Effect.gen(function* () {
      const schedules = yield* Schedules
      const schedule = yield* readSchedule({
        check_dead_links: !noDeadLinks,
        check_external_links: externalLinks,
        every,
        render,
        ...given("max_pages", maxPages),
        ...given("url", url)
      })
      yield* print(yield* schedules.add(yield* account, project, schedule), json)
    })
).pipe(
  Command.withDescription(
    described(
      "Crawl a site regularly, starting now. Any server with workers does this",
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
    described("List the crawl schedules of a site", "site-health schedule list --account $ACCOUNT --project $PROJECT")
  )
)

const remove = Command.make(
  "remove",
  {
    account,
    id: argument("id", ScheduleId).pipe(Args.withDescription("ID of the schedule, from `site-health schedule list`")),
    json,
    project
  },
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
      "Stop crawling a site regularly. Past crawls stay",
      "site-health schedule remove --account $ACCOUNT --project $PROJECT 7f0c5c0e-3f0a-4a7e-9f43-2b8d6a1c9e11"
    )
  )
)

const schedule = Command.make("schedule").pipe(
  Command.withDescription("Crawl a site regularly"),
  Command.withSubcommands([add, list, remove])
)

/** `site-health …` */
export const siteHealth = Command.make("site-health").pipe(
  Command.withDescription("Schedule crawls of your sites"),
  Command.withSubcommands([schedule]),
  Command.provide(Schedules.Default)
)
