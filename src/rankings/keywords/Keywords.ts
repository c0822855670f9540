import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { AccountId } from "../../accounts/Domain.ts"
import { apiError } from "../../http/Failure.ts"
import { Projects } from "../../projects/Projects.ts"
import type { KeywordParameters } from "../Api.ts"
import { RankingStatus } from "../Domain.ts"
import { KeywordsRepo, type PageRequest, Position, type Row } from "./KeywordsRepo.ts"
import * as Term from "./Term.ts"

/** How far into each list a page is looked for before the trigrams are asked; measured by test/bench/rankings.ts. */
const stretchesToScan = ({ count, status }: PageRequest): number =>
  Math.ceil((1000 * Math.sqrt(count)) / (status === null ? RankingStatus.literals.length : 1))

const stale = apiError("invalid_cursor", "The cursor is too old: what it belongs to was replaced more than a day ago")

/** A record as JSON, and its place in the list. */
export interface Listed {
  readonly json: string
  readonly position: ReadonlyArray<string>
}

const decodePosition = Schema.decodeUnknown(Position)

const isCut = ({ cut }: Row): boolean => cut === true

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
     * A frequent text fills a page soon when the lists are looked through in their order, a rare one is found sooner by its trigrams. Either way
     * as many stretches as the page has records are enough, one more for the start of the page, unless some of them only look as if they held
     * the text: then all are taken.
     */
    const search = Effect.fnUntraced(function* (page: PageRequest, text: string) {
      const { folded, isIndexed } = Term.of(text)
      const request = { ...page, folded, nearest: page.count + 1 }
      const seen = yield* repo.scan({ ...request, most: isIndexed ? stretchesToScan(page) : null })
      if (!seen.some(isCut)) return seen
      if (!isIndexed) return yield* repo.scan({ ...request, most: null, nearest: null })
      const found = yield* repo.lookUp(request)
      return found.some(isCut) ? yield* repo.lookUp({ ...request, nearest: null }) : found
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
