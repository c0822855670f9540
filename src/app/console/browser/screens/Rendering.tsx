import type { Signal } from "@preact/signals"
import { renderingOffWords, renderingWords } from "../../../../crawl/report/Labels.ts"
import type { Result, Run } from "../api/Contract.ts"
import { plural, words } from "../parts/Formats.ts"
import { Select } from "../parts/Forms.tsx"
import { Outside } from "../parts/Status.tsx"
import { Details, Rows } from "../parts/Tables.tsx"

type Render = Run["request"]["render"]

const choices: Readonly<Record<Render, string>> = { always: "Always", auto: "Automatic", never: "Never" }

const isRender = (text: string): text is Render => Object.hasOwn(choices, text)

/** Which pages of a crawl a browser renders. */
export const RenderChoice = ({ render }: { readonly render: Signal<Render> }) => (
  <Select
    label="Render JavaScript"
    options={{ auto: choices.auto, always: choices.always, never: choices.never }}
    value={render.value}
    choose={(chosen) => {
      if (isRender(chosen)) render.value = chosen
    }}
  />
)

type Page = Result["pages"][number]
type Rendering = NonNullable<Page["rendering"]>

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

/** What scripts changed on a page, and what they failed at. */
const Differences = ({ of }: { readonly of: Rendering }) => {
  const { differences, errors, links_only_rendered, redirect, refused } = of
  return (
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
  )
}

/** The pages with scripts, each with its state, the reason for it, and what rendering changed. */
export const RenderedPages = ({ pages }: { readonly pages: ReadonlyArray<Page> }) => {
  const scripted = pages.flatMap(({ rendering, url }) => (rendering ? [{ rendering, url }] : []))
  return scripted.length === 0 ? null : (
    <Details summary={`Rendering of ${plural(scripted.length, "page")}`}>
      {() => (
        <Rows
          caption="Pages with scripts"
          name="pages with scripts"
          size={10}
          keyOf={({ url }) => url}
          rows={scripted}
          columns={[
            { cell: ({ url }) => <Outside href={url} />, kind: "address", name: "Page" },
            {
              cell: ({ rendering: { reason, state } }) =>
                `${words(state)}${reason === null ? "" : `: ${reasonOf(reason)}`}`,
              name: "Rendering"
            },
            { cell: ({ rendering }) => <Differences of={rendering} />, kind: "address", name: "Differences" }
          ]}
        />
      )}
    </Details>
  )
}
