/** One small shop in three frameworks: the same pages, links and texts, each in the way of its framework. */

/** What a framework makes a site of: packages with their versions, files, and the command and the folder of its build. */
export interface Framework {
  readonly name: string
  readonly packages: Readonly<Record<string, string>>
  readonly files: Readonly<Record<string, string>>
  readonly build: ReadonlyArray<string>
  readonly built: string
  /** The server sends one document for all addresses, and scripts draw the page. */
  readonly isShell: boolean
}

/** Pages by their path, as links lead there. */
export const titles: Readonly<Record<string, string>> = {
  "/": "Tea by hand",
  "/about": "About the shop",
  "/docs/more": "More on tea",
  "/docs/time": "Time for tea",
  "/docs/water": "Water for tea",
  "/hidden": "Hidden tea",
  "/late": "Loading",
  "/products": "All teas"
}

/** Pages to which only lists lead that scripts load: by `/products`, and by `/docs/more`. */
export const listed = ["1", "2", "3", "4"].map((id) => `/products/${id}`)
export const listedBelow = ["more-1", "more-2", "more-3", "more-4"].map((id) => `/products/${id}`)
/** The title that `/late` has in the end. */
export const lateTitle = "Tea that was late"

const teas = JSON.stringify(["Sencha", "Assam", "Darjeeling", "Oolong"].map((name, at) => ({ id: at + 1, name })))
const text =
  "Leaves are picked by hand in the early morning, dried in the shade and packed within a day, so that they keep their scent until they are brewed in water that is hot and does not boil. ".repeat(
    2
  )
const description = "of a tea shop that sells leaves by hand."
const ids = [...listed, ...listedBelow].map((path) => path.slice("/products/".length))
const paths = Object.keys(titles)
const navigation = paths.map((path) => `<a href="${path}">${titles[path]}</a>`).join(" ")

const addNoindex = `document.head.insertAdjacentHTML("beforeend", '<meta name="robots" content="noindex">')`
const setTitle = `setTimeout(() => { document.title = "${lateTitle}" }, 300)`

/** The code of a component that loads a list when it is shown. */
const list = (library: string) => `import { useEffect, useState } from "${library}"
export function Counter() { const [n, set] = useState(0); return <button onClick={() => set(n + 1)}>Cups: {n}</button> }
export function List({ root }) {
  const [all, set] = useState([])
  useEffect(() => { setTimeout(() => fetch("/api/teas.json").then((answer) => answer.json()).then(set), 800) }, [])
  return <ul>{all.map(({ id, name }) => <li key={id}><a href={root + id}>{name}</a></li>)}</ul>
}
export function Late() { useEffect(() => { ${setTitle} }, []) }
export function Hidden() { useEffect(() => { ${addNoindex} }, []) }
`

/** The component of each page. */
const components: Readonly<Record<string, string>> = {
  "/docs/more": '<List root="/products/more-" />',
  "/hidden": "<Hidden />",
  "/late": "<Late />",
  "/products": '<List root="/products/" />'
}
const componentOf = (path: string) => components[path] ?? "<Counter />"
const folderOf = (path: string) => (path === "/" ? "" : `${path}/`)
const up = (path: string) => "../".repeat(path.split("/").filter((part) => part !== "").length)

const angular: Framework = {
  name: "Angular 19",
  build: ["ng", "build"],
  built: "dist/browser",
  isShell: true,
  packages: {
    "@angular/build": "19.2.27",
    "@angular/cli": "19.2.27",
    "@angular/common": "19.2.25",
    "@angular/compiler": "19.2.25",
    "@angular/compiler-cli": "19.2.25",
    "@angular/core": "19.2.25",
    "@angular/platform-browser": "19.2.25",
    "@angular/router": "19.2.25",
    rxjs: "7.8.2",
    typescript: "5.8.3",
    "zone.js": "0.15.1"
  },
  files: {
    "angular.json": JSON.stringify({
      cli: { analytics: false },
      projects: {
        shop: {
          architect: {
            build: {
              builder: "@angular/build:application",
              options: {
                assets: [{ glob: "**/*", input: "public" }],
                browser: "src/main.ts",
                index: "src/index.html",
                outputPath: "dist",
                polyfills: ["zone.js"],
                tsConfig: "tsconfig.json"
              }
            }
          },
          projectType: "application",
          root: "",
          sourceRoot: "src"
        }
      },
      version: 1
    }),
    "public/api/teas.json": teas,
    "src/index.html": `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Loading</title><base href="/"><meta name="viewport" content="width=device-width, initial-scale=1"></head><body><app-root></app-root></body></html>`,
    "src/main.ts": `import { Component, inject } from "@angular/core"
import { Meta, Title, bootstrapApplication } from "@angular/platform-browser"
import { ActivatedRoute, Router, RouterLink, RouterOutlet, provideRouter } from "@angular/router"
@Component({ selector: "app-page", imports: [RouterLink], template: \`<h1>{{ title }}</h1><p>{{ title }}: {{ text }}</p>@for (one of all; track one.id) {<p><a [routerLink]="root + one.id">{{ one.name }}</a></p>}\` })
class Page {
  text = ${JSON.stringify(text)}; title = ""; root = ""; all: any[] = []
  constructor(route: ActivatedRoute, title: Title, meta: Meta) {
    const { data, params } = route.snapshot
    this.root = data["root"] ?? ""
    this.title = data["title"] + (params["id"] ? " " + params["id"] : "")
    title.setTitle(this.title)
    meta.updateTag({ name: "description", content: this.title + " ${description}" })
    if (data["path"] === "late") setTimeout(() => title.setTitle("${lateTitle}"), 300)
    if (data["path"] === "hidden") meta.updateTag({ name: "robots", content: "noindex" })
    if (this.root) setTimeout(async () => { this.all = await (await fetch("/api/teas.json")).json() }, 800)
  }
}
@Component({ selector: "app-root", imports: [RouterLink, RouterOutlet], template: \`<nav>${paths.map((path) => `<a routerLink="${path}">${titles[path]}</a> `).join("")}<button (click)="go()">By button</button></nav><main><router-outlet /></main>\` })
class App { router = inject(Router); go() { this.router.navigate(["/by-button"]) } }
const roots: any = { products: "/products/", "docs/more": "/products/more-" }
const page = (path: string, title: string) => ({ path, component: Page, data: { path, root: roots[path], title } })
bootstrapApplication(App, { providers: [provideRouter([${paths.map((path) => `page("${path.slice(1)}", "${titles[path]}")`).join(", ")}, page("products/:id", "Tea"), page("by-button", "By button"), page("**", "Page not found")])] })
`,
    "tsconfig.json": JSON.stringify({
      compilerOptions: {
        experimentalDecorators: true,
        lib: ["ES2022", "dom"],
        module: "ES2022",
        moduleResolution: "bundler",
        skipLibCheck: true,
        target: "ES2022"
      },
      files: ["src/main.ts"]
    })
  }
}

const next: Framework = {
  name: "Next.js 15",
  build: ["next", "build"],
  built: "out",
  isShell: false,
  packages: { next: "15.5.29", react: "19.2.0", "react-dom": "19.2.0" },
  files: {
    "app/client.js": `"use client"\n${list("react")}`,
    "app/layout.js": `export default ({ children }) => <html lang="en"><body><nav>${navigation}</nav><main>{children}</main></body></html>`,
    ...Object.fromEntries(
      paths.map((path) => [
        `app/${folderOf(path).slice(path === "/" ? 0 : 1)}page.js`,
        `import { Counter, Hidden, Late, List } from "${path === "/" ? "./" : up(path)}client.js"
export const metadata = { title: "${titles[path]}", description: "${titles[path]} ${description}" }
export default () => <><h1>${titles[path]}</h1><p>${titles[path]}: ${text}</p>${componentOf(path)}</>`
      ])
    ),
    "app/products/[id]/page.js": `import { Counter } from "../../client.js"
export const generateStaticParams = () => ${JSON.stringify(ids.map((id) => ({ id })))}
export const generateMetadata = async ({ params }) => { const { id } = await params; return { title: "Tea " + id, description: "Tea " + id + " ${description}" } }
export default async function Tea({ params }) { const { id } = await params; return <><h1>Tea {id}</h1><p>Tea {id}: ${text}</p><Counter /></> }`,
    "next.config.mjs": 'export default { output: "export", trailingSlash: true }',
    "public/api/teas.json": teas
  }
}

/** Astro's file of a page; a page that others lie below is the index of their folder. */
const fileOf = (path: string) => (path === "/" || path === "/products" ? `${folderOf(path) || "/"}index` : path)

const astroPage = (path: string, title: string, component: string, code = "") => `---
import { Counter, Hidden, Late, List } from "${up(path)}components.jsx"
${code}
---
<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title><meta name="description" content={\`${title.replace("{", "${")} ${description}\`}></head>
<body><nav>${navigation}</nav><main><h1>${title}</h1><p>${title}: ${text}</p>${component.replace(" />", " client:load />")}</main></body></html>`

const astro: Framework = {
  name: "Astro 5 with Preact",
  build: ["astro", "build"],
  built: "dist",
  isShell: false,
  packages: { "@astrojs/preact": "4.1.3", astro: "5.18.2", preact: "10.27.2" },
  files: {
    "astro.config.mjs": 'import preact from "@astrojs/preact"\nexport default { integrations: [preact()] }',
    "public/api/teas.json": teas,
    "src/components.jsx": list("preact/hooks"),
    ...Object.fromEntries(
      paths.map((path) => [
        `src/pages${fileOf(path)}.astro`,
        astroPage(fileOf(path), titles[path] ?? "", componentOf(path))
      ])
    ),
    "src/pages/products/[id].astro": astroPage(
      "/products/id",
      "Tea {id}",
      "<Counter />",
      `export const getStaticPaths = () => ${JSON.stringify(ids.map((id) => ({ params: { id } })))}\nconst { id } = Astro.params`
    )
  }
}

export const frameworks: ReadonlyArray<Framework> = [angular, next, astro]
