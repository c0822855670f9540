import { useSignal } from "@preact/signals"
import type { Project } from "../api/Contract.ts"
import { ask } from "../api/Session.ts"
import { announcement, go, openSite } from "../Place.ts"
import { Area, Confirm, Form, Input, unchanged } from "../parts/Acts.tsx"
import { lazy } from "../parts/Lazy.tsx"
import { Details, Missing, Page, Tabs } from "../parts/Tables.tsx"
import { hashOf } from "../Routes.ts"
import type { SiteProperties } from "../SiteRoutes.ts"
import { Schedules } from "./Schedules.tsx"

const SearchSettings = lazy(async () => (await import("./SearchSettings.tsx")).SearchSettings)

const Inspections = lazy(async () => (await import("./Inspections.tsx")).Inspections)

const scope = "projects:write"

/** The lines of a field, without empty ones. */
const linesOf = (text: string) =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")

const Name = ({ changed, site }: { readonly site: Project; readonly changed: () => void }) => {
  const name = useSignal(site.name)
  return (
    <>
      <h2>Name</h2>
      <Form
        action="Rename site"
        scope={scope}
        blocked={name.value === site.name ? unchanged : null}
        work={() => ask<Project>("PATCH", `/projects/${site.id}`, { body: { name: name.value } })}
        done={() => {
          announcement.value = "Site renamed."
          changed()
        }}
      >
        <Input
          label="Site name"
          value={name}
          hint={`Shown in the console and in reports. The host stays ${site.host}.`}
        />
      </Form>
    </>
  )
}

const BrandTerms = ({ changed, site }: { readonly site: Project; readonly changed: () => void }) => {
  const before = site.brand_terms.join("\n")
  const terms = useSignal(before)
  return (
    <>
      <h2>Brand terms</h2>
      <Form
        action="Save brand terms"
        scope={scope}
        blocked={terms.value === before ? unchanged : null}
        work={() => ask<Project>("PATCH", `/projects/${site.id}`, { body: { brand_terms: linesOf(terms.value) } })}
        done={() => {
          announcement.value = "Brand terms saved."
          changed()
        }}
      >
        <Area
          label="Brand terms, one per line"
          isRequired={false}
          value={terms}
          hint="Names that people search for. They separate brand queries from others, and find your brand in AI answers."
        />
      </Form>
    </>
  )
}

const Delete = ({ site: { id, name } }: { readonly site: Project }) => (
  <>
    <h2>Delete site</h2>
    <Details summary="Delete this site and its data…">
      {() => (
        <Confirm
          action="Delete site"
          scope={scope}
          name={name}
          work={() => ask("DELETE", `/projects/${id}`)}
          done={() => {
            openSite.value = null
            announcement.value = "Site deleted."
            go(["sites"])
          }}
        >
          <p>
            This deletes the site with its search data, crawls, schedules, backlinks, AI visibility, changes and
            imports. A crawl in progress is cancelled. You cannot undo this.
          </p>
          <p>Audits, experiments, webhooks and past events stay.</p>
        </Confirm>
      )}
    </Details>
  </>
)

const parts = [
  ["", "Site"],
  ["search", "Search data"],
  ["inspections", "URL inspection"]
] as const

/** The settings of a site: itself, its schedules, the sources of its search data, and what Google says of its URLs. */
export const SiteSettings = ({ reload, rest: [part = "", ...more], site }: SiteProperties) => {
  const title = parts.find(([segment]) => segment === part)?.[1]
  if (title === undefined || more.length > 0) return <Missing />
  return (
    <Page title={part === "" ? `Settings of ${site.name}` : title}>
      <Tabs
        label="Settings"
        of={parts.map(([segment, name]) => ({
          href: hashOf(["sites", site.id, "settings", ...(segment === "" ? [] : [segment])]),
          isCurrent: segment === part,
          name
        }))}
      />
      {part === "" && (
        <>
          <Schedules id={site.id} url={site.url} />
          <Name key={`name ${site.name}`} site={site} changed={reload} />
          <BrandTerms key={`terms ${site.brand_terms.join()}`} site={site} changed={reload} />
          <Delete site={site} />
        </>
      )}
      {part === "search" && <SearchSettings site={site} />}
      {part === "inspections" && <Inspections site={site} />}
    </Page>
  )
}
