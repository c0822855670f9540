import type { ComponentChildren } from "preact"
import { useRef } from "preact/hooks"
import type { OwnKey } from "../api/Contract.ts"
import { useRead } from "../api/Read.ts"
import { leave } from "../api/Session.ts"
import { announcement, route, waiting } from "../Place.ts"

/** The documentation opens apart, because a page that this one opens would have its stored key. */
const docs = new URL("../docs", import.meta.url).href

/** What stands around every screen: navigation, whose account it is, the way out. */
export const Frame = ({
  children,
  links
}: {
  readonly links: ReadonlyArray<{ readonly name: string; readonly segment: string }>
  readonly children: ComponentChildren
}) => {
  const main = useRef<HTMLElement>(null)
  const { data } = useRead<OwnKey>("/key")
  const [first] = route.value.segments
  // Runs are runs of a site.
  const current = first === "runs" ? "sites" : first
  return (
    <>
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        Skip to the content
      </button>
      <header>
        <strong>Findable</strong>
        <nav aria-label="Console">
          <ul>
            {links.map(({ name, segment }) => (
              <li key={segment}>
                <a href={`#/${segment}`} aria-current={current === segment ? "page" : undefined}>
                  {name}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <div class="own">
          {data?.account && <span class="quiet">{data.account.name}</span>}
          <a href={docs} target="_blank" rel="noopener">
            Documentation
          </a>
          <button type="button" onClick={() => void leave()}>
            Leave
          </button>
        </div>
      </header>
      <main ref={main} id="main" tabIndex={-1} aria-busy={waiting.value > 0}>
        {children}
      </main>
      <div class="hidden" role="status" aria-live="polite">
        {announcement.value}
      </div>
    </>
  )
}
