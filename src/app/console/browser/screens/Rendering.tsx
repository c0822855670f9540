import { renderingOffWords, renderingWords } from "../../../../crawl/report/Labels.ts"
import type { Result } from "../api/Contract.ts"
import { plural, sentence, words } from "../parts/Formats.ts"
import { Outside } from "../parts/Status.tsx"
import { Details } from "../parts/Tables.tsx"
import { choices } from "./RenderChoice.tsx"

type Rendering = NonNullable<Result["pages"][number]["rendering"]>

const reasons: Readonly<Record<string, string>> = renderingWords

const reasonOf = (reason: string) => reasons[reason] ?? words(reason)

/** What the pages of a crawl are after their scripts, in one line. */
export const RenderingSummary = ({ of }: { readonly of: Result["summary"]["rendering"] }) => {
  if (of === undefined) return null
  const { browser, failed, mode, not_rendered, reason, rendered } = of
  const left = Object.entries(not_rendered).map(([why, pages]) => `${reasonOf(why)}: ${pages}`)
  return (
    <p class="quiet">
      JavaScript rendering: {mode === "off" ? "off" : choices[mode].toLowerCase()}
      {reason !== null && ` (${renderingOffWords[reason]})`} · {plural(rendered, "page")} rendered
      {failed > 0 && ` · ${failed} failed`}
      {left.length > 0 && ` · not rendered: ${left.join(", ")}`}
      {browser !== null && ` · ${browser}`}
    </p>
  )
}

/** What became of the scripts of a page, in a few words. */
export const renderingOf = ({ reason, state }: Rendering): string =>
  sentence(reason === null ? state : `${state}: ${reasonOf(reason)}`)

/** What scripts changed on a page, and what they failed at; nothing without a change. */
export const Differences = ({ of }: { readonly of: Rendering }) => {
  const { differences, errors, links_only_rendered, redirect, refused } = of
  const size = differences.length + errors.length + links_only_rendered + refused.length + (redirect === null ? 0 : 1)
  return size === 0 ? null : (
    <Details summary={<small>{plural(size, "difference")}</small>}>
      {() => (
        <>
          {differences.map(({ raw, rendered, what }) => (
            <div key={what}>
              {words(what)}: <code>{raw ?? "none"}</code> → <code>{rendered ?? "none"}</code>
            </div>
          ))}
          {links_only_rendered > 0 && <div>{plural(links_only_rendered, "link")} only after rendering</div>}
          {redirect !== null && (
            <div>
              Redirects to <Outside href={redirect} />
            </div>
          )}
          {refused.length > 0 && <div>{plural(refused.length, "request")} not sent</div>}
          {errors.length > 0 && (
            <div>
              {plural(errors.length, "script error")}: <code>{errors[0]}</code>
            </div>
          )}
        </>
      )}
    </Details>
  )
}
