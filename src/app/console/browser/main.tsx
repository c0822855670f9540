import { type ComponentChildren, render } from "preact"
import { useRef } from "preact/hooks"
import type { OwnKey } from "./api/Contract.ts"
import { useAction, useRead } from "./api/Read.ts"
import { enter, leave, reason, session } from "./api/Session.ts"
import { announcement, docs, route, start, waiting } from "./Place.ts"
import { Field } from "./parts/Forms.tsx"
import { Failed } from "./parts/Status.tsx"
import { Page } from "./parts/Tables.tsx"
import type { Route } from "./Routes.ts"
import { Audits } from "./screens/Audits.tsx"
import { Compare } from "./screens/Changes.tsx"
import { Experiment, Experiments } from "./screens/Experiments.tsx"
import { Rankings, SiteRankings } from "./screens/Rankings.tsx"
import { Run } from "./screens/Run.tsx"
import { Site } from "./screens/Site.tsx"
import { Sites } from "./screens/Sites.tsx"
import { Webhook, Webhooks } from "./screens/Webhooks.tsx"

/** Screens with a common first part of their URLs. */
interface Section {
  /** First part of the URLs. */
  readonly segment: string
  /** Name in the navigation; other screens link to a section without one. */
  readonly name?: string
  /** Renders the screen for the rest of the URL; null for an unknown one. */
  readonly show: (rest: ReadonlyArray<string>) => ComponentChildren
}

/** All screens, in the order of the navigation. */
const sections: ReadonlyArray<Section> = [
  {
    name: "Sites",
    segment: "sites",
    show: ([id, ...rest]) => (rest.length > 0 ? null : id === undefined ? <Sites /> : <Site id={id} />)
  },
  {
    segment: "runs",
    show: ([id, part, ...rest]) => {
      if (id === undefined || rest.length > 0) return null
      return part === undefined ? <Run id={id} /> : part === "compare" ? <Compare id={id} /> : null
    }
  },
  {
    name: "Rankings",
    segment: "rankings",
    show: ([id, ...rest]) => (rest.length > 0 ? null : id === undefined ? <Rankings /> : <SiteRankings id={id} />)
  },
  { name: "Audits", segment: "audits", show: ([id]) => (id === undefined ? <Audits /> : null) },
  {
    name: "Experiments",
    segment: "experiments",
    show: ([id, ...rest]) => (rest.length > 0 ? null : id === undefined ? <Experiments /> : <Experiment id={id} />)
  },
  {
    name: "Webhooks",
    segment: "webhooks",
    show: ([id, ...rest]) => (rest.length > 0 ? null : id === undefined ? <Webhooks /> : <Webhook id={id} />)
  }
]

/** The entries of the navigation. */
export const links = sections.flatMap(({ name, segment }) => (name === undefined ? [] : [{ name, segment }]))

/** Whether a segment has an id's characters only. Other text must not become a part of a request. */
const isId = (segment: string) => /^[\w-]+$/.test(segment)

/** The screen of a route; null for an unknown one. */
export const screenOf = ({ segments: [first, ...rest] }: Route): ComponentChildren =>
  (rest.every(isId) && sections.find(({ segment }) => segment === first)?.show(rest)) || null

/** The sign-in page: for a key, or for a link that a command on the server prints. */
export const Enter = () => {
  const entering = useAction(
    async (key: string) => {
      const failure = await enter(key)
      return failure === null ? { data: null, failure, meta: {}, status: 200 } : { failure }
    },
    () => {}
  )
  return (
    <main class="door" id="main">
      <Page title="Sign in to Findable">
        {reason.value !== null && <p role="status">{reason.value}</p>}
        <Field
          label="API key"
          action="Sign in"
          isSecret
          isBusy={entering.isBusy}
          onSubmit={entering.run}
          hint="Your key is kept in this tab only and is removed when you close it."
        />
        {entering.failure !== null && <Failed failure={entering.failure} />}
        <p>
          No key? Run <code>npx --no-install findable console</code> on the server (in a checkout,{" "}
          <code>npm run -s cli -- console</code>) and open the link it prints.
        </p>
      </Page>
    </main>
  )
}

/** The frame of every screen: navigation, account name, sign-out button. */
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
  // Crawls belong to a site.
  const current = first === "runs" ? "sites" : first
  return (
    <>
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        Skip to content
      </button>
      <header>
        <strong>Findable</strong>
        <nav aria-label="Main">
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
            Sign out
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

const Missing = () => (
  <Page title="Page not found">
    <p>
      No page has this URL. <a href="#/sites">Go to your sites</a>
    </p>
  </Page>
)

/** The sign-in page, or the screen of the URL. Each URL mounts a new screen. */
const Console = () => {
  if (session.value === null) return <Enter />
  const { segments } = route.value
  return (
    <Frame key={session.value.key} links={links}>
      <div key={segments.join("/")}>{screenOf(route.value) ?? <Missing />}</div>
    </Frame>
  )
}

start()
render(<Console />, document.body)
