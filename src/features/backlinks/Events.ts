import * as Schema from "effect/Schema"
import { NonEmptyText, Score } from "../../foundation/schema/Scalars.ts"
import { Moment } from "../../foundation/schema/Time.ts"
import * as EventKind from "../events/EventKind.ts"
import { ProjectId } from "../projects/Domain.ts"
import { State } from "./Domain.ts"

const LostLink = Schema.Struct({
  source_url: NonEmptyText.annotations({ description: "The page that linked to the site" }),
  state: State.annotations({ description: "Result of the last check: `page_gone`, `link_removed` or `redirected`" }),
  confirmed_at: Moment.annotations({ description: "When the second check confirmed the loss" })
}).annotations({ identifier: "LostBacklink", description: "A lost link, confirmed by two checks" })

/** A domain of high authority no longer links to the site. */
export const backlinkLost = EventKind.make({
  type: "backlink.lost",
  description:
    "A domain of high authority no longer links to the site: two checks, 7 days or more apart, found none of its links. A domain without known linking pages is lost when two lists of a source, as far apart, do not have it.",
  data: Schema.Struct({
    project_id: ProjectId.annotations({ description: "UUID of the site" }),
    domain: NonEmptyText.annotations({ description: "The referring domain" }),
    authority: Score.annotations({
      description:
        "Authority of the domain, 60 to 100; for ranks in the web graph, 100 is the first rank and 60 the millionth"
    }),
    authority_source: NonEmptyText.annotations({
      description: "Source of the authority: a tool, or `common-crawl`"
    }),
    last_seen_at: Moment.annotations({
      description: "Last check that found a link, or last list with the domain"
    }),
    missing_since: Moment.annotations({
      description: "First check without any link, or first list without the domain"
    }),
    links: Schema.Array(LostLink).annotations({
      description: "The lost links, at most 100; empty for a domain without known linking pages"
    })
  }),
  example: {
    project_id: "7b0d5f0e-52a5-4c55-a5b0-0a6f6b8f3c21",
    domain: "news.example.org",
    authority: 78,
    authority_source: "ahrefs",
    last_seen_at: "2026-11-14T00:00:00.000000+00:00",
    missing_since: "2026-11-21T00:00:00.000000+00:00",
    links: [
      {
        source_url: "https://news.example.org/2026/review",
        state: "link_removed",
        confirmed_at: "2026-11-28T00:00:00.000000+00:00"
      }
    ]
  }
})
