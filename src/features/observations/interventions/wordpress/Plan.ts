import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { apiError } from "../../../../foundation/http/ApiError.ts"
import { Conflict, Invalid } from "../../../../foundation/schema/DomainError.ts"
import { onSite, type Project } from "../../../projects/Domain.ts"
import type { NewWordPress } from "../Payloads.ts"
import type { WordPressState } from "../State.ts"
import { isSame } from "./Fields.ts"
import * as WordPress from "./WordPress.ts"

type Site = Effect.Effect.Success<ReturnType<typeof WordPress.make>>

/** What a caller is answered when WordPress does not do what a request needs of it. */
export const refusalOf = ({ isPassing, message, status }: WordPress.WordPressFailed) => {
  if (isPassing)
    return apiError<"service_unavailable">("service_unavailable", message, { headers: { "retry-after": "30" } })
  return status === 404 ? Invalid.of("post_id", message) : new Conflict({ message })
}

/** The fields of a request, by their places in it. */
const wantedBy = ({ meta, title }: NewWordPress) =>
  title !== undefined
    ? [{ after: title, name: "title", place: "title" }]
    : Object.entries(meta ?? {}).map(([name, after]) => ({ after, name, place: `meta.${name}` }))

/** Reads what a change is based on, and writes nothing: fields that WordPress does not take are refused. */
export const plan = Effect.fnUntraced(function* (project: Project, payload: NewWordPress, site: Site) {
  const { meta, post_id, post_type, title } = payload
  if ((meta === undefined) === (title === undefined))
    return yield* Invalid.of("meta", "either this or title must be set")
  const { post } = yield* Effect.mapError(site.read, refusalOf)
  // A site may hide what OPTIONS says; reading back proves the same.
  const allowed = yield* site.allowed.pipe(
    Effect.catchIf(
      ({ isPassing, status }) => !isPassing && (status === 404 || status === 405 || status === 501 || status === 200),
      () => Effect.void
    ),
    Effect.mapError(refusalOf)
  )
  if (post.status !== undefined && post.status !== "publish")
    return yield* new Conflict({ message: `The post is not published: its status is ${post.status.slice(0, 50)}` })
  const link = onSite(project, post.link)
  if (Option.isNone(link) || post.link.length > 2048)
    return yield* new Conflict({ message: `The post is not on ${project.host}: its address is of another site` })
  const fields: Array<WordPressState["fields"][number]> = []
  for (const { after, name, place } of wantedBy(payload)) {
    if (name !== "title" && allowed !== undefined && !allowed.includes(name))
      return yield* Invalid.of(
        place,
        `is not registered for ${post_type}: WordPress would drop it; nothing was written`
      )
    const before = WordPress.valueOf(post, name)
    if (before === undefined) return yield* Invalid.of(place, "is no text at WordPress")
    if (isSame(name, before, after)) return yield* Invalid.of(place, "is its value already")
    fields.push({ after, before, name })
  }
  return { fields, link: link.value.href, post_id, post_type, stored: [] } satisfies WordPressState
})

/** What a change is called that was given no name. */
export const summaryOf = ({ fields, post_id, post_type }: WordPressState): string =>
  `Sets ${fields.map(({ name }) => name).join(", ")} of ${post_type} ${post_id}`.slice(0, 500)
