import { useSignal } from "@preact/signals"
import { useEffect, useId, useRef } from "preact/hooks"
import type { ListedProject } from "../api/Contract.ts"
import { useAll } from "../api/Read.ts"
import { openSite, route } from "../Place.ts"
import { Loaded } from "../parts/Status.tsx"
import { siteTab } from "../SiteRoutes.ts"

/** Sites that the list shows; the field finds the others. */
const shown = 10

const List = () => {
  const id = useId()
  const typed = useSignal("")
  const sites = useAll<ListedProject>("/projects")
  const [first, , segment = ""] = route.value.segments
  const text = typed.value.trim().toLowerCase()
  return (
    <div class="menu">
      <label for={id}>Find a site</label>
      <input
        id={id}
        type="search"
        autoComplete="off"
        value={typed.value}
        onInput={({ currentTarget }) => {
          typed.value = currentTarget.value
        }}
      />
      <Loaded read={sites}>
        {(all) => {
          const found = all.filter(({ host, name }) => `${name} ${host}`.toLowerCase().includes(text))
          return found.length === 0 ? (
            <p class="quiet">No site with this name.</p>
          ) : (
            <ul>
              {found.slice(0, shown).map(({ id, name }) => (
                <li key={id}>
                  <a href={`#/${siteTab(id, first === "sites" ? segment : "").join("/")}`}>{name}</a>
                </li>
              ))}
            </ul>
          )
        }}
      </Loaded>
      <a href="#/sites">All sites</a>
    </div>
  )
}

/** The name of the site on the screen, and a list of the others, which leads to the same tab. */
export const Switcher = () => {
  const isOpen = useSignal(false)
  const [first, site] = route.value.segments
  const button = useRef<HTMLButtonElement>(null)
  const close = () => {
    isOpen.value = false
  }
  useEffect(close, [route.value])
  const { value: isShown } = isOpen
  useEffect(() => {
    if (!isShown) return
    const onKey = ({ key }: KeyboardEvent) => {
      if (key !== "Escape") return
      close()
      button.current?.focus()
    }
    document.addEventListener("keydown", onKey)
    return () => document.removeEventListener("keydown", onKey)
  }, [isShown])
  return (
    <div class="switcher">
      <button
        ref={button}
        type="button"
        aria-expanded={isOpen.value}
        onClick={() => {
          isOpen.value = !isOpen.value
        }}
      >
        {(first === "sites" && site !== undefined ? openSite.value?.name : undefined) ?? "Choose a site"}{" "}
        <span aria-hidden="true">▾</span>
      </button>
      {isOpen.value && <List />}
    </div>
  )
}
