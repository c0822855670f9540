import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { apiError } from "../../../foundation/http/ApiError.ts"
import { page } from "../../../foundation/http/Paging.ts"
import { Invalid } from "../../../foundation/schema/DomainError.ts"
import type { AccountId } from "../../accounts/Domain.ts"
import { byCreation } from "../../accounts/Handlers.ts"
import type { EventId } from "../../events/EventId.ts"
import type { Filters } from "./Filters.ts"
import { type PlacedEvent, PublishedRepo } from "./PublishedRepo.ts"

const gone = apiError("invalid_cursor", "`after` names no event of this account that is still kept")

/** The next page of a list that began `after` an event goes on by its cursor, which that cannot be combined with. */
const following = (next: string) => {
  const url = new URL(next)
  url.searchParams.delete("after")
  url.searchParams.set("order", "asc")
  return url.href
}

/** The events of an account by pages, in both orders. */
export class List extends Effect.Service<List>()("webhooks/events/List", {
  dependencies: [PublishedRepo.Default],
  effect: Effect.map(PublishedRepo, (repo) => {
    /** The filters as the repo takes them, and as they name a list for its cursors. */
    const filtersOf = (account: AccountId, { since, type: types, until }: Filters) => {
      const times = [since, until].map((time) => (time === undefined ? "" : DateTime.formatIso(time)))
      return { asked: { account, since, types, until }, named: [types?.join(",") ?? "", ...times] }
    }

    const newest = (account: AccountId, filters: Filters) => {
      const { asked, named } = filtersOf(account, filters)
      return page(
        { ...filters, of: [account, "events", ...named] },
        (after, count) => repo.newest({ ...asked, after, count }),
        byCreation
      )
    }

    const positionOf = (account: AccountId, id: EventId) =>
      Effect.flatMap(repo.positionOf({ account, id }), (found) =>
        found._tag === "None" ? gone : Effect.succeed([found.value.position])
      )

    const inOrder = Effect.fnUntraced(function* (account: AccountId, filters: Filters) {
      yield* repo.place(account)
      const from = filters.after === undefined ? undefined : yield* positionOf(account, filters.after)
      const { asked, named } = filtersOf(account, filters)
      const { data, links, meta } = yield* page(
        { ...filters, of: [account, "events in order", ...named] },
        (after = from, count) => repo.inOrder({ ...asked, after, count }),
        ({ position }: PlacedEvent) => [position]
      )
      return {
        data: data.map(({ position: _, ...event }) => event),
        links: "next" in links ? { ...links, next: following(links.next) } : links,
        meta
      }
    })

    /** A page of the events, the newest first, or in the order of commits. */
    const list = Effect.fnUntraced(function* (account: AccountId, filters: Filters) {
      const { after, cursor, order = after === undefined ? "desc" : "asc" } = filters
      if (after !== undefined && cursor !== undefined) {
        return yield* Invalid.of("cursor", "must be absent where `after` is sent")
      }
      if (after !== undefined && order === "desc")
        return yield* Invalid.of("order", "must be asc where `after` is sent")
      return yield* order === "asc" ? inOrder(account, filters) : newest(account, filters)
    })

    return { list }
  })
}) {}
