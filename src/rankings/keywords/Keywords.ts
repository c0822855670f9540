import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { AccountId } from "../../accounts/Domain.ts"
import { apiError } from "../../http/Failure.ts"
import { Projects } from "../../projects/Projects.ts"
import type { KeywordParameters } from "../Api.ts"
import { KeywordsRepo, type PageRequest, Position, type Row } from "./KeywordsRepo.ts"
import * as SearchWay from "./SearchWay.ts"
import * as Term from "./Term.ts"

const stale = apiError("invalid_cursor", "The cursor is too old: what it belongs to was replaced more than a day ago")

/** A record as JSON, and its place in the list. */
export interface Listed {
  readonly json: string
  readonly position: ReadonlyArray<string>
}

const decodePosition = Schema.decodeUnknown(Position)

const listed = ({ clicks, impressions, json, key, snapshot }: Row): ReadonlyArray<Listed> =>
  json === null || key === null || impressions === null || clicks === null
    ? []
    : [{ json, position: [snapshot, impressions, clicks, key] }]

/** The rankings of an account's sites. */
export class Keywords extends Effect.Service<Keywords>()("rankings/Keywords", {
  dependencies: [KeywordsRepo.Default, Projects.Default],
  effect: Effect.gen(function* () {
    const repo = yield* KeywordsRepo
    const projects = yield* Projects

    /**
     * A frequent text fills a page soon when the records are looked at in their order, a rare one is found sooner by its trigrams. Which it is, the
     * first records tell; should they mislead, the index is asked after all.
     */
    const search = Effect.fnUntraced(function* (page: PageRequest, text: string) {
      const { folded, isIndexed, pattern } = Term.of(text)
      const request = { ...page, folded, pattern }
      if (!isIndexed) return yield* repo.scan({ ...request, most: null })
      const most = SearchWay.recordsToScan(yield* repo.sample(request), page.count)
      const found = most === null ? null : yield* repo.scan({ ...request, most })
      return found === null || found.some(({ cut }) => cut === true) ? yield* repo.lookUp(request) : found
    })

    /** One page; a site that is not the account's fails as one that is missing. */
    const list = Effect.fn("Keywords.list")(function* (
      account: AccountId,
      { query, site_id: site, status }: Pick<KeywordParameters, "query" | "site_id" | "status">,
      cursor: ReadonlyArray<string> | undefined,
      count: number
    ) {
      const after = cursor === undefined ? null : yield* Effect.orDie(decodePosition(cursor))
      const page = { account, after, count, site: site ?? null, status: status ?? null }
      const rows = yield* query === undefined || query === "" ? repo.list(page) : search(page, query)
      const [first] = rows
      if (first !== undefined && Number(first.snapshot) < Number(first.oldest)) return yield* stale
      return rows.flatMap(listed)
    })

    /** Fails when the site is not the account's. */
    const owned = (account: AccountId, { site_id: site }: Pick<KeywordParameters, "site_id">) =>
      site === undefined ? Effect.void : Effect.asVoid(projects.get(account, site))

    return { list, owned }
  })
}) {}
