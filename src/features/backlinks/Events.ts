import * as Schema from "effect/Schema"
import { NonEmptyText, Score } from "../../foundation/schema/Scalars.ts"
import { Moment } from "../../foundation/schema/Time.ts"
import * as EventKind from "../events/EventKind.ts"
import { ProjectId } from "../projects/Domain.ts"
import { State } from "./Domain.ts"

const LostLink = Schema.Struct({
  source_url: NonEmptyText.annotations({ description: "The page that linked to the site" }),
  state: State.annotations({ description: "What the last look found: `page_gone`, `link_removed` or `redirected`" }),
  confirmed_at: Moment.annotations({ description: "Time of the look that confirmed it" })
}).annotations({ identifier: "LostBacklink", description: "A link that is lost, by two looks of our own" })

/** A referring domain of high authority no longer links to the site. */
export const backlinkLost = EventKind.make({
  type: "backlink.lost",
  description:
    "Every link that was seen on pages of a domain of high authority is lost: two looks, 7 days or more apart, found none. Of a domain without known linking pages: two lists of a source, as far apart, lack it. Absence from one export says nothing.",
  data: Schema.Struct({
    project_id: ProjectId.annotations({ description: "UUID of the project" }),
    domain: NonEmptyText.annotations({ description: "The referring domain" }),
    authority: Score.annotations({
      description:
        "Its authority, 0 to 100, 60 or more; of a place in a web graph 100 for the first and 60 for the millionth"
    }),
    authority_source: NonEmptyText.annotations({
      description: "Whose number the authority is: a tool, or `common-crawl`"
    }),
    last_seen_at: Moment.annotations({
      description: "Time of the last look that saw a link, or of the last list that had the domain"
    }),
    missing_since: Moment.annotations({
      description: "Time of the first look without any link, or of the first list without the domain"
    }),
    links: Schema.Array(LostLink).annotations({
      description: "The links that are lost, 100 at most; none of a domain without known linking pages"
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
