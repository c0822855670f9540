import { useSignal } from "@preact/signals"
import { type ComponentChildren, render } from "preact"
import { useEffect, useLayoutEffect, useRef } from "preact/hooks"
import type { OwnKey } from "./api/Contract.ts"
import { OwnRead, useAction, usePoll, useRead } from "./api/Read.ts"
import { enter, isAsking, leave, own, reason, session } from "./api/Session.ts"
import { announcement, docs, isFresh, route, start, waiting } from "./Place.ts"
import { Field } from "./parts/Forms.tsx"
import { lazy } from "./parts/Lazy.tsx"
import { Failed } from "./parts/Status.tsx"
import { Missing, Page } from "./parts/Tables.tsx"
import type { Route } from "./Routes.ts"
import { RunOfSite, TabOfSite } from "./screens/Moved.tsx"
import { SiteScreens, SiteTabs } from "./screens/SiteScreens.tsx"
import { Sites } from "./screens/Sites.tsx"
import { Switcher } from "./screens/Switcher.tsx"

const Webhooks = lazy(async () => (await import("./screens/Webhooks.tsx")).Webhooks)
const Webhook = lazy(async () => (await import("./screens/Webhook.tsx")).Webhook)
const Events = lazy(async () => (await import("./screens/Events.tsx")).Events)
const Settings = lazy(async () => (await import("./screens/Settings.tsx")).Settings)

/** Screens with a common first part of their URLs. */
interface Section {
  /** First part of the URLs. */
  readonly segment: string
  /** Name in the navigation; a section without one is reached by links, such as those of messages. */
  readonly name?: string
  /** Renders the screen for the rest of the URL; null for an unknown one. */
  readonly show: (rest: ReadonlyArray<string>) => ComponentChildren
}

/** A section whose screens belong to a site now; its first part may be the site. */
const moved = (segment: string, to: string, isOfSite: boolean): Section => ({
  segment,
  show: ([id, ...rest]) =>
    isOfSite && id !== undefined ? (
      <TabOfSite id={id} segment={to} rest={rest} />
    ) : (
      <TabOfSite segment={to} rest={id === undefined ? [] : [id, ...rest]} />
    )
})

/** All screens, in the order of the navigation. */
const sections: ReadonlyArray<Section> = [
  {
    name: "Sites",
    segment: "sites",
    show: ([id, ...rest]) => (id === undefined ? <Sites /> : <SiteScreens key={id} id={id} rest={rest} />)
  },
  {
    name: "Webhooks",
    segment: "webhooks",
    show: ([id, delivery, ...rest]) =>
      rest.length > 0 ? null : id === undefined ? <Webhooks /> : <Webhook id={id} delivery={delivery ?? null} />
  },
  { name: "Events", segment: "events", show: ([more]) => (more === undefined ? <Events /> : null) },
  {
    name: "Account settings",
    segment: "settings",
    show: ([tab = "keys", ...rest]) => (rest.length > 0 ? null : <Settings tab={tab} />)
  },
  { segment: "runs", show: ([id, ...part]) => (id === undefined ? null : <RunOfSite id={id} part={part} />) },
  moved("rankings", "search", true),
  moved("audits", "audits", false),
  moved("experiments", "experiments", false)
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
      <Page title={reason.value?.title ?? "Sign in to Findable"}>
        {reason.value !== null && (
          <p role="status" class="notice">
            {reason.value.text}
          </p>
        )}
        <Field
          label="API key"
          action="Sign in"
          isSecret
          isBusy={entering.isBusy}
          onSubmit={entering.run}
          hint="Your key stays in the open tabs of this console and is removed when you close them."
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

/** Seconds between two attempts to reach the server. */
const pause = 5

/** The whole page without a server: it tries again, sooner when the network is back. */
const Unreachable = ({ retry }: { readonly retry: () => void }) => {
  usePoll(retry, pause)
  useEffect(() => {
    addEventListener("online", retry)
    return () => removeEventListener("online", retry)
  }, [])
  return (
    <Page title="Can’t reach the server">
      <p role="alert">
        Findable at <code>{location.host}</code> does not respond. Check that the server is running and that you are
        online.
      </p>
      <p class="actions">
        <button type="button" class="main" onClick={retry}>
          Try again
        </button>
        <span class="quiet">Retrying every {pause} seconds…</span>
      </p>
    </Page>
  )
}

/** The frame of every screen: navigation, the site and its tabs, account name, sign-out button. */
export const Frame = ({
  children,
  links
}: {
  readonly links: ReadonlyArray<{ readonly name: string; readonly segment: string }>
  readonly children: ComponentChildren
}) => {
  const main = useRef<HTMLElement>(null)
  const isOpen = useSignal(false)
  const key = useRead<OwnKey>("/key")
  const { data, failure, reload } = key
  const isUnreachable = data === null && failure?.status === 0
  const [first, site, tab = ""] = route.value.segments
  useEffect(() => {
    own.value = data
  }, [data])
  useEffect(() => {
    isOpen.value = false
  }, [route.value])
  return (
    <>
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        Skip to content
      </button>
      <header class={isOpen.value ? "open" : undefined}>
        <strong>Findable</strong>
        <Switcher />
        <button
          type="button"
          class="opener"
          aria-expanded={isOpen.value}
          onClick={() => {
            isOpen.value = !isOpen.value
          }}
        >
          Menu
        </button>
        <nav aria-label="Main">
          <ul>
            {links.map(({ name, segment }) => (
              <li key={segment}>
                <a href={`#/${segment}`} aria-current={first === segment ? "page" : undefined}>
                  {name}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <div class="own">
          {data?.account && (
            <span class="quiet" title="Account">
              <span class="hidden">Account </span>
              {data.account.name}
            </span>
          )}
          <a href={docs} target="_blank" rel="noopener">
            Documentation
          </a>
          <button type="button" onClick={() => void leave()}>
            Sign out
          </button>
        </div>
        {first === "sites" && site !== undefined && <SiteTabs id={site} segment={tab} />}
      </header>
      <main ref={main} id="main" tabIndex={-1} aria-busy={!isUnreachable && (waiting.value > 0 || isFresh.value)}>
        {isUnreachable ? <Unreachable retry={reload} /> : <OwnRead.Provider value={key}>{children}</OwnRead.Provider>}
      </main>
      <div class="hidden" role="status" aria-live="polite">
        {announcement.value}
      </div>
    </>
  )
}

/** Milliseconds that a new screen may wait for its first data before it is shown without them; a word says meanwhile that it loads. */
const patience = 8000

/** A screen that appears as a whole: what it reads first is there when it is shown, and nothing jumps. */
const Whole = ({ at, children }: { readonly at: string; readonly children: ComponentChildren }) => {
  const isBusy = waiting.value > 0
  useLayoutEffect(() => {
    isFresh.value = true
    const timer = setTimeout(() => {
      isFresh.value = false
    }, patience)
    return () => clearTimeout(timer)
  }, [at])
  useEffect(() => {
    // The screen may have begun to read since this render.
    if (waiting.peek() === 0) isFresh.value = false
  }, [at, isBusy])
  return <div class={isFresh.value ? "fresh" : undefined}>{children}</div>
}

/** Sections with URLs of several screens for one thing, which share what they know of it. */
const shared = ["sites", "webhooks"]

const keyOf = ([first = "", id = "", ...rest]: ReadonlyArray<string>) =>
  shared.includes(first) ? `${first}/${id}` : [first, id, ...rest].join("/")

/** A delivery is chosen beside the list of deliveries, which stays on the screen. */
const screenAt = (segments: ReadonlyArray<string>) =>
  segments[0] === "webhooks" ? keyOf(segments) : segments.join("/")

/** The sign-in page, or the screen of the URL. Each URL mounts a new screen. */
const Console = () => {
  if (isAsking.value) return <main id="main" aria-busy="true" />
  if (session.value === null) return <Enter />
  const { segments } = route.value
  return (
    <Frame key={session.value.key} links={links}>
      <Whole at={screenAt(segments)}>
        <div key={keyOf(segments)}>{screenOf(route.value) ?? <Missing />}</div>
      </Whole>
    </Frame>
  )
}

start()
render(<Console />, document.body)
