/** Addresses that hostile pages aim at. */
export interface Targets {
  /** The site of the page. */
  readonly site: string
  /** Another host that crawls may ask: nobody but the crawl's own client may come, with GET and HEAD alone. */
  readonly open: string
  /** Spellings of addresses of this machine that nobody may ask; the first is the plainest. */
  readonly closed: readonly [string, ...ReadonlyArray<string>]
  /** A name that leads to the open address when it is first looked up, and to a closed one from then on. */
  readonly rebound: string
}

/** A page that attacks: its markup, and what may become of its rendering. */
export interface Hostile {
  readonly body: (targets: Targets) => string
  readonly head?: (targets: Targets) => string
  readonly headers?: (targets: Targets) => Readonly<Record<string, string>>
  /** State and reason of `pages[].rendering`. */
  readonly ends: RegExp
}

const rendered = /^rendered$/
const late = /^failed: time$/
/** A page that is as far as it should be, or was ended for one of its bounds: which of the two comes first depends on the machine. */
const bounded = /^(?:rendered|failed: (?:time|memory|too_large|crashed))$/
/** A page that cannot be rendered within its bounds. */
const ended = /^failed: (?:time|memory|too_large|crashed)$/
const oversized = /^failed: (?:too_large|time)$/
const reloading = /^failed: (?:reload|time)$/
/** A page that leaves: where to is told, unless it does so again and again until its time is over. */
const left = /^(?:rendered|failed: (?:reload|time))$/

const script = (code: string) => `<script>${code}</script>`

const running = (code: string, ends = late): Hostile => ({ body: () => script(code), ends })

const aiming = (code: (targets: Targets) => string, ends = rendered): Hostile => ({
  body: (targets) => script(code(targets)),
  ends
})

const text = JSON.stringify

const blob = (code: string) => `URL.createObjectURL(new Blob([${text(code)}],{type:'text/javascript'}))`

/** Each statement by itself: what one may not do must not keep the next from trying. */
const each = (statements: ReadonlyArray<string>) => statements.map((one) => `try{${one}}catch{}`).join(";")

/** Every way to ask an address from a script. */
const asking = (url: string, at: number) =>
  each([
    `fetch(${text(`${url}fetch-${at}`)}).catch(()=>{})`,
    `fetch(${text(`${url}fetch-posted-${at}`)},{method:'POST',body:'x',mode:'no-cors'}).catch(()=>{})`,
    `fetch(${text(`${url}kept-${at}`)},{keepalive:true,mode:'no-cors'}).catch(()=>{})`,
    `fetchLater(${text(`${url}later-${at}`)},{activateAfter:0})`,
    `navigator.sendBeacon(${text(`${url}beacon-${at}`)},'x')`,
    `new WebSocket(${text(`${url.replace("http", "ws")}socket-${at}`)})`,
    `new EventSource(${text(`${url}events-${at}`)})`,
    `new WebTransport(${text(`${url.replace("http:", "https:")}transport-${at}`)})`,
    `new Image().src=${text(`${url}image-${at}`)}`,
    `new Audio(${text(`${url}audio-${at}`)}).play().catch(()=>{})`,
    `const x${at}=new XMLHttpRequest();x${at}.open('GET',${text(`${url}xhr-${at}`)});x${at}.send()`,
    `const s${at}=new XMLHttpRequest();s${at}.open('GET',${text(`${url}sync-${at}`)},false);s${at}.send()`,
    `new FontFace('f${at}','url(${url}font-${at})').load().catch(()=>{})`,
    `import(${text(`${url}module-${at}.js`)}).catch(()=>{})`,
    `new Worker(${text(`${url}worker-${at}.js`)})`,
    `new Worker(${blob(`importScripts(${text(`${url}imported-${at}.js`)})`)})`,
    `new Worker(${blob(`fetch(${text(`${url}of-worker-${at}`)});new WebSocket(${text(`${url.replace("http", "ws")}of-worker-${at}`)})`)})`,
    `new Worker('data:text/javascript,'+encodeURIComponent(${text(`fetch(${text(`${url}of-data-${at}`)},{mode:'no-cors'})`)}))`,
    `new SharedWorker(${blob(`fetch(${text(`${url}of-shared-${at}`)},{mode:'no-cors'})`)})`
  ])

/** Every way to ask an address from markup. */
const naming = (
  url: string
) => `<object data="${url}object"></object><embed src="${url}embed"><iframe src="${url}frame"></iframe>
<img src="${url}image" srcset="${url}image-2 2x"><video src="${url}video" poster="${url}poster" autoplay></video><audio src="${url}audio" autoplay></audio>
<video><source src="${url}source"><track src="${url}track" default></video><script src="${url}script.js"></script><script type="module" src="${url}module.js"></script>
<svg><image href="${url}svg-image"/><use href="${url}use#a"/></svg><input type="image" src="${url}input"><table background="${url}table"><tr><td>x</td></tr></table>
<div style="background:url(${url}background);list-style:url(${url}list);cursor:url(${url}cursor),auto;border-image:url(${url}border);mask:url(${url}mask);content:url(${url}content)">x</div>
<style>@import url(${url}import.css);@font-face{font-family:f;src:url(${url}font.woff2)}body{font-family:f}</style>
<iframe srcdoc="<img src=&quot;${url}inner&quot;><script>fetch('${url}inner-fetch',{mode:'no-cors'})</script>"></iframe>`

const hinting = (url: string) =>
  [
    ...["prefetch", "preconnect", "dns-prefetch", "prerender", "stylesheet", "icon", "manifest", "modulepreload"].map(
      (rel) => `<link rel="${rel}" href="${url}${rel}">`
    ),
    ...["script", "style", "image", "font", "fetch", "document", "video"].map(
      (as) => `<link rel="preload" as="${as}" href="${url}preload-${as}" crossorigin>`
    ),
    `<script type="speculationrules">{"prefetch":[{"urls":["${url}rule"],"eagerness":"immediate"}],"prerender":[{"urls":["${url}rule-2"],"eagerness":"immediate"}]}</script>`
  ].join("")

const stun = ({ closed, open }: Targets) =>
  [...closed, open].flatMap((url) => {
    const { host } = new URL(url)
    return [`stun:${host}`, `turn:${host}?transport=udp`, `turn:${host}?transport=tcp`]
  })

const reports = ({ closed: [closed], open }: Targets) => ({
  "content-security-policy-report-only": `default-src 'none'; report-uri ${open}csp ${closed}csp; report-to all`,
  nel: '{"report_to":"all","max_age":9999,"success_fraction":1}',
  "report-to": `{"group":"all","max_age":9999,"endpoints":[{"url":"${open}report"},{"url":"${closed}report"}]}`,
  "reporting-endpoints": `all="${open}reporting"`
})

const filling = `const fill=(n)=>new Uint8Array(n).fill(1)`

/** Pages that attack the browser, the crawl or the network, each by a name. */
export const hostilePages: Readonly<Record<string, Hostile>> = {
  "a script without end": running("for(;;);"),
  "a script without end, later": running("setTimeout(()=>{for(;;);},100)"),
  "promises without end": running("const go=()=>Promise.resolve().then(go);go()"),
  "timers without end": running("setInterval(()=>{document.body.append('x')},0)", bounded),
  "a timer that starts two": running("const go=()=>{setTimeout(go,1);setTimeout(go,1)};go()", ended),
  "messages without end": running(
    "const c=new MessageChannel();c.port1.onmessage=()=>c.port2.postMessage(1);c.port2.postMessage(1)",
    bounded
  ),
  "frames of an animation without end": running(
    "const go=()=>{document.body.append('x');requestAnimationFrame(go)};go()",
    bounded
  ),
  "a pattern that backtracks without end": running("/^(a+)+$/.test('a'.repeat(60)+'!')"),
  "WebAssembly without end": running(
    "new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array([0,97,115,109,1,0,0,0,1,4,1,96,0,0,3,2,1,0,7,5,1,1,97,0,0,10,9,1,7,0,3,64,12,0,11,11]))).exports.a()"
  ),
  "sorting without end": running(
    "Array.from({length:3e6},(_,n)=>n).sort(()=>{for(let n=0;n<1e4;n++);return Math.random()-.5})"
  ),
  "workers without end": running(`for(let n=0;n<8;n++)new Worker(${blob("for(;;);")})`, bounded),
  "workers that start workers": running(
    `new Worker(${blob("for(let n=0;n<4;n++)new Worker(location.href)")})`,
    bounded
  ),
  "worklets and shared workers without end": running(
    `new SharedWorker(${blob("for(;;);")});CSS.paintWorklet?.addModule(${blob("for(;;);")});new AudioContext().audioWorklet.addModule(${blob("for(;;);")})`,
    bounded
  ),
  "document.write without end": running("for(;;)document.write('<p>'+'x'.repeat(1000))", ended),
  "document.write of 50 MB": running("document.write('<p>'+'<b>x</b>'.repeat(5e6))", ended),
  "200 frames in processes apart": {
    body: () =>
      `${`<iframe sandbox="allow-scripts" src="data:text/html,<script>for(;;);</script>"></iframe>`.repeat(200)}${script("1")}`,
    ends: bounded
  },
  "500 shared workers": running(`for(let n=0;n<500;n++)new SharedWorker(${blob("for(;;);")},'n'+n)`, bounded),
  "document.open in a loop": running(
    "setInterval(()=>{document.open();document.write('<p>x<script>1<'+'/script>');document.close()},1)",
    bounded
  ),
  "frames in frames": running(
    "const go=(d)=>{const f=d.createElement('iframe');d.body.append(f);setTimeout(()=>go(f.contentDocument),0)};go(document)",
    bounded
  ),
  "a thousand frames of itself": running(
    "for(let n=0;n<1000;n++){const f=document.createElement('iframe');f.src='/hostile?'+n;document.body.append(f)}",
    bounded
  ),
  "a million elements": running("document.body.innerHTML='<p>x</p>'.repeat(1e6)", bounded),
  "elements without end": running(
    "for(;;){const p=document.createElement('p');p.innerHTML='<b>x</b>'.repeat(1000);document.body.append(p)}",
    ended
  ),
  "elements nested 200,000 deep": running(
    "let at=document.body;for(let n=0;n<2e5;n++)at=at.appendChild(document.createElement('div'))",
    bounded
  ),
  "shadow roots nested 5,000 deep": running(
    "let at=document.body;for(let n=0;n<5000;n++){const d=document.createElement('div');at.append(d);at=d.attachShadow({mode:'open'})}",
    bounded
  ),
  "a title of 5 MB": running("document.title='x'.repeat(5e6)", oversized),
  "a title of 500 MB": running("document.title='x'.repeat(5e8)", ended),
  "an attribute of 100 MB": running("document.body.setAttribute('x','x'.repeat(1e8))", ended),
  "50,000 titles": running("for(let n=0;n<5e4;n++)document.title='x'.repeat(1e5)+n", bounded),
  "memory in arrays": running("const all=[];for(;;)all.push(new Array(1e6).fill(Math.random()))", ended),
  "memory in buffers": running(`${filling};const all=[];for(;;)all.push(fill(5e7))`, ended),
  "memory in strings": running(
    "let s='x'.repeat(1e8);const all=[];for(;;){s=s.split('').reverse().join('');all.push(s)}",
    ended
  ),
  "memory in workers": running(
    `for(let n=0;n<8;n++)new Worker(${blob(`${filling};const all=[];for(;;)all.push(fill(2e7))`)});for(;;);`,
    ended
  ),
  "memory in blobs": running(
    `${filling};const all=[];const go=()=>{all.push(new Blob([fill(3e7)]));setTimeout(go,0)};go()`,
    bounded
  ),
  "memory in pictures": running(
    "const all=[];for(;;){const c=document.createElement('canvas');c.width=c.height=8000;const x=c.getContext('2d');x.fillRect(0,0,8000,8000);all.push(x.getImageData(0,0,8000,8000))}",
    ended
  ),
  "memory in a picture of the page": running(
    "document.body.innerHTML='<div style=\"width:200000px;height:200000px;filter:blur(50px);box-shadow:0 0 900px 900px red\">x</div>'.repeat(50)",
    bounded
  ),
  "memory in WebAssembly": running(
    "const all=[];for(;;){const m=new WebAssembly.Memory({initial:16000});new Uint8Array(m.buffer).fill(1);all.push(m)}",
    ended
  ),
  "storage of the disk": running(
    `${filling};indexedDB.open('x').onupgradeneeded=(e)=>{const s=e.target.result.createObjectStore('s');for(let n=0;n<100;n++)s.put(fill(1e7),n)};caches.open('x').then(async(c)=>{for(let n=0;n<100;n++)await c.put('/'+n,new Response(fill(1e7)))});navigator.storage.getDirectory().then(async(d)=>{const w=await(await d.getFileHandle('x',{create:true})).createWritable();for(let n=0;n<100;n++)await w.write(fill(1e7))});for(let n=0;n<1e4;n++)try{localStorage['k'+n]='x'.repeat(1e5)}catch{}`,
    bounded
  ),
  "errors without end": running(
    "setInterval(()=>{for(let n=0;n<1e4;n++)Promise.reject(new Error('x'.repeat(1e4)))},0)",
    bounded
  ),
  "lines of a console without end": running(
    "for(let n=0;n<3e5;n++){console.count('x'.repeat(5000)+n);console.time('y'.repeat(5000)+n);console.timeEnd('y'.repeat(5000)+n);console.timeStamp('z')}",
    bounded
  ),
  "lines of a frame's console": running(
    "const f=document.createElement('iframe');document.body.append(f);const c=f.contentWindow.console;for(let n=0;n<3e5;n++){c.log('x'.repeat(5000));c.count('x'.repeat(5000)+n)}",
    bounded
  ),
  "a history without end": running(
    "for(let n=0;n<1e6;n++)try{history.pushState(null,'','/x'.repeat(900)+n)}catch{}",
    bounded
  ),
  "states of a history of 8 MB": running(
    "for(let n=0;n<500;n++)try{history.pushState('x'.repeat(8e6)+n,'')}catch{}",
    bounded
  ),
  "a name of 400 MB and an error of 400 MB": running(
    "const s='x'.repeat(4e8);setTimeout(()=>{throw new Error(s)},1);window.name=s",
    bounded
  ),
  "a fragment that changes without end": running(
    "setInterval(()=>{for(let n=0;n<1000;n++)location.hash='x'.repeat(2000)+Math.random()},0)",
    bounded
  ),
  "dialogs without end": running("for(;;){alert(1);confirm(2);prompt(3)}", bounded),
  "dialogs before it is left": running(
    "onbeforeunload=(e)=>{e.preventDefault();e.returnValue='stay';return 'stay'};setInterval(()=>{location.href='/elsewhere?'+Math.random()},1)",
    left
  ),
  "pages to print without end": running("for(let n=0;n<1000;n++)print()", bounded),
  "requests for permissions": running(
    each([
      "Notification.requestPermission()",
      "navigator.geolocation.getCurrentPosition(()=>{})",
      "navigator.mediaDevices.getUserMedia({audio:true,video:true})",
      "navigator.mediaDevices.getDisplayMedia()",
      "navigator.clipboard.readText()",
      "navigator.usb.requestDevice({filters:[]})",
      "navigator.bluetooth.requestDevice({acceptAllDevices:true})",
      "navigator.requestMIDIAccess({sysex:true})",
      "navigator.credentials.get({publicKey:{challenge:new Uint8Array(9)}})",
      "document.body.requestFullscreen()",
      "showOpenFilePicker()",
      "speechSynthesis.speak(new SpeechSynthesisUtterance('x'))"
    ]),
    rendered
  ),
  "windows without end": {
    body: ({ open }) =>
      script(
        `for(let n=0;n<200;n++)open('/opened?'+n);for(let n=0;n<50;n++)open(${text(`${open}opened`)}+n,'w'+n,'popup')`
      ),
    ends: bounded
  },
  "a window that opens windows": running(
    `const w=open('about:blank');w.document.write('<script>setInterval(()=>{open("about:blank")},1);for(;;);<'+'/script>')`,
    bounded
  ),
  downloads: {
    body: ({ open, site }) =>
      script(
        `const go=(u,n)=>{const a=document.createElement('a');a.href=u;a.download=n;document.body.append(a);a.click()};for(let n=0;n<50;n++){go('/file.bin?'+n,'f'+n);go(${text(`${open}file.bin`)},'o'+n);go('data:application/octet-stream,xxxx','d'+n);go(URL.createObjectURL(new Blob(['x'.repeat(1e6)])),'b'+n)};const f=document.createElement('iframe');f.src=${text(`${site}file.bin`)};document.body.append(f)`
      ),
    ends: left
  },
  "10,000 requests": running("for(let n=0;n<1e4;n++)fetch('/many?'+n).catch(()=>{})", oversized),
  "4,000 requests": running("for(let n=0;n<4000;n++)fetch('/many?'+n).catch(()=>{})", oversized),
  "1,900 requests": running("for(let n=0;n<1900;n++)fetch('/many?'+n).catch(()=>{})", bounded),
  "requests with addresses of 2 MB": running(
    "for(let n=0;n<500;n++)fetch('/'+'x'.repeat(1.9e6)+n).catch(()=>{})",
    ended
  ),
  "requests with fields of 1 MB": running(
    "for(let n=0;n<500;n++)fetch('/many?'+n,{headers:{'x-a':'y'.repeat(1e6)}}).catch(()=>{})",
    ended
  ),
  "requests with bodies of 10 MB": running(
    "for(let n=0;n<100;n++)fetch('/many?'+n,{method:'POST',body:'x'.repeat(1e7)}).catch(()=>{})",
    bounded
  ),
  "styles that import one another without end": {
    body: () => `<link rel="stylesheet" href="/import.css?0">${script("1")}`,
    ends: bounded
  },
  "100 scripts and styles that drip": running(
    "for(let n=0;n<50;n++)document.head.append(Object.assign(document.createElement('link'),{rel:'stylesheet',href:'/drip?c'+n}),Object.assign(document.createElement('script'),{src:'/drip?'+n}))",
    bounded
  ),
  "100,000 data URLs": running("for(let n=0;n<1e5;n++)fetch('data:,'+'x'.repeat(2000)+n)", bounded),
  "an answer that never comes": running("fetch('/silent').finally(()=>{document.title='after'})", bounded),
  "an answer that drips": running("fetch('/drip').then((r)=>r.text()).finally(()=>{document.title='after'})", bounded),
  "100 answers that never come": running("for(let n=0;n<100;n++)fetch('/silent?'+n).catch(()=>{})", bounded),
  "an answer of 200 MB": running("fetch('/huge').then((r)=>r.text()).catch(()=>{})", rendered),
  "15 answers of 9 MB": running("for(let n=0;n<15;n++)fetch('/large?'+n).then((r)=>r.text()).catch(()=>{})", rendered),
  "a gigabyte packed into a megabyte": running(
    "for(let n=0;n<6;n++)fetch('/bomb?'+n).then((r)=>r.text()).catch(()=>{})",
    rendered
  ),
  "a picture, a style and a script of 200 MB": {
    body: () => '<link rel="stylesheet" href="/huge?css"><script src="/huge?js"></script><img src="/huge?img">',
    ends: bounded
  },
  "redirects without end": running("fetch('/round').catch(()=>{})", rendered),
  "a script behind redirects without end": { body: () => '<script src="/round"></script>', ends: rendered },
  "a page that leaves and comes back": running("location.href='/elsewhere'", left),
  "a page that reloads": running("location.reload()", reloading),
  "a page that reloads without end": running("setInterval(()=>location.reload(),1)", reloading),
  "a page that leaves without end": running("setInterval(()=>{location.href='/elsewhere?'+Math.random()},1)", left),
  "a meta refresh by script": aiming(
    ({ closed: [closed] }) =>
      `document.head.insertAdjacentHTML('beforeend','<meta http-equiv="refresh" content="0;url=${closed}">')`,
    left
  ),
  "a meta refresh to a data URL": running(
    `document.head.insertAdjacentHTML('beforeend','<meta http-equiv="refresh" content="0;url=data:text/html,x">')`,
    left
  ),
  "XML that expands without end": {
    body: () =>
      script(
        `const e=Array.from({length:30},(_,n)=>'<!ENTITY e'+(n+1)+' "&e'+n+';&e'+n+';&e'+n+';">').join('');new DOMParser().parseFromString('<!DOCTYPE x [<!ENTITY e0 "lol">'+e+']><x>&e30;</x>','application/xml')`
      ),
    ends: bounded
  },
  "SVG that repeats without end": {
    body: () =>
      `${script("1")}<svg>${Array.from({ length: 30 }, (_, n) => `<g id="g${n + 1}">${`<use href="#g${n}"/>`.repeat(10)}</g>`).join("")}<g id="g0"><circle r="9"/></g></svg>`,
    ends: bounded
  },
  "filters of SVG without end": {
    body: () =>
      `${script("1")}<svg width="4000" height="9000"><filter id="f" x="-9" y="-9" width="99" height="99">${"<feTurbulence baseFrequency='.9' numOctaves='99'/><feGaussianBlur stdDeviation='500'/><feMorphology operator='dilate' radius='300'/>".repeat(60)}</filter><g filter="url(#f)"><rect width="4000" height="9000"/></g></svg>`,
    ends: bounded
  },
  "styles that cost without end": {
    body: () =>
      `<style>${":has(:has(:has(*)))~*:nth-child(2n+1)>*{color:red}".repeat(10)}${Array.from({ length: 20_000 }, (_, n) => `:has(.c${n}) :is(.a${n},.b${n}) *{--v${n}:calc(var(--v${n + 1})*2)}`).join("")}</style>${script("document.body.insertAdjacentHTML('beforeend','<div><p><b>x</b></p></div>'.repeat(30000))")}`,
    ends: bounded
  },
  "variables of styles that double": {
    body: () =>
      `<style>:root{--v0:xxxxxxxxxx;${Array.from({ length: 40 }, (_, n) => `--v${n + 1}:var(--v${n})var(--v${n});`).join("")}}p{font-family:var(--v40)}</style>${script("document.title=getComputedStyle(document.body).getPropertyValue('--v40').length")}`,
    ends: bounded
  },
  "a browser's own pages": running(
    `${each(
      [
        "chrome://crash",
        "chrome://kill",
        "chrome://version",
        "file:///etc/passwd",
        "view-source:file:///etc/passwd",
        "devtools://devtools/bundled/inspector.html",
        "about:crash",
        "chrome-untrusted://print"
      ].flatMap((url) => [
        `fetch('${url}').catch(()=>{})`,
        `open('${url}')`,
        `document.body.append(Object.assign(document.createElement('iframe'),{src:'${url}'}))`,
        `new Worker('${url}')`
      ])
    )};setTimeout(()=>{location.href='chrome://crash'},10)`,
    rendered
  ),
  "a file of the machine in its place": running("location.href='file:///etc/passwd'", rendered),
  "a frame that reads files": {
    body: () =>
      '<iframe src="file:///etc/passwd"></iframe><object data="file:///etc/passwd"></object><embed src="file:///etc/hosts"><script src="file:///etc/hosts"></script><link rel="stylesheet" href="file:///etc/passwd">',
    ends: rendered
  },
  "requests to closed addresses": aiming(({ closed }) => closed.map(asking).join(";"), bounded),
  "requests to another host": aiming(({ open }) => asking(open, 0), bounded),
  "requests to the site that may not be made": aiming(({ site }) => asking(site, 0), bounded),
  "requests that redirect to closed addresses": aiming(
    ({ closed, site }) => closed.map((url, at) => asking(`${site}to?${encodeURIComponent(url)}&`, at)).join(";"),
    bounded
  ),
  "a name that leads elsewhere": aiming(
    ({ rebound }) =>
      `for(let n=0;n<8;n++)setTimeout(()=>{fetch(${text(rebound)}+n).catch(()=>{});new WebSocket(${text(rebound.replace("http", "ws"))}+n)},n*400)`,
    bounded
  ),
  "markup that names closed addresses": {
    body: ({ closed }) => `${closed.slice(0, 4).map(naming).join("")}${script("1")}`,
    head: ({ closed }) => closed.slice(0, 4).map(hinting).join(""),
    ends: bounded
  },
  "markup that names another host": {
    body: ({ open }) => naming(open) + script("1"),
    head: ({ open }) => hinting(open),
    ends: bounded
  },
  "hints that a script adds": aiming(
    ({ closed, open }) =>
      `document.head.insertAdjacentHTML('beforeend',${text(`${hinting(closed[0])}${hinting(open)}`).replaceAll("</script>", "<\\/script>")})`,
    bounded
  ),
  "answers that ask for reports": {
    body: () => `${script("1")}<img src="/x.png"><style>p{color:red}</style>`,
    headers: reports,
    ends: rendered
  },
  "links in headers": {
    body: () => script("1"),
    headers: ({ closed: [closed], open }) => ({
      link: [closed, open]
        .map((url) => `<${url}header>; rel=preload; as=script, <${url}header-2>; rel=preconnect`)
        .join(", ")
    }),
    ends: rendered
  },
  "connections between browsers": aiming(
    (targets) =>
      `for(let n=0;n<4;n++){const p=new RTCPeerConnection({iceServers:[{urls:${text(stun(targets))},username:'x',credential:'x'}]});p.createDataChannel('x');p.createOffer().then((o)=>p.setLocalDescription(o));p.onicecandidate=(e)=>{if(e.candidate)document.body.append(e.candidate.candidate)}}`,
    bounded
  ),
  "a service worker": aiming(
    ({ closed: [closed], open }) =>
      `navigator.serviceWorker?.register('/service-worker.js?'+encodeURIComponent(${text(closed)})+'&'+encodeURIComponent(${text(open)})).catch(()=>{});new Worker('/service-worker.js?'+encodeURIComponent(${text(closed)})+'&'+encodeURIComponent(${text(open)}))`,
    bounded
  ),
  "forms that send themselves": {
    body: ({ closed: [closed], open }) =>
      [closed, open, "/"]
        .flatMap((url) =>
          ["_blank", "_self", "own", "_top"].map(
            (target) =>
              `<form method="post" action="${url}form-${target}" target="${target}"><input name="a" value="b"></form>`
          )
        )
        .join("") +
      '<iframe name="own"></iframe>' +
      script("for(const f of document.forms)f.submit()"),
    ends: bounded
  },
  "windows at closed addresses": aiming(
    ({ closed, open }) =>
      each(
        [...closed.slice(0, 6), open].flatMap((url) => [
          `open(${text(`${url}window`)})`,
          `open('about:blank').location=${text(`${url}window-2`)}`,
          `open('about:blank').fetch(${text(`${url}of-window`)},{mode:'no-cors'})`
        ])
      ),
    bounded
  ),
  "a closed address in its place": aiming(({ closed: [closed] }) => `location.href=${text(closed)}`, rendered),
  "links that report clicks": {
    body: ({ closed: [closed], open }) =>
      `<a href="#x" ping="${closed}ping ${open}ping">x</a>${script("for(const a of document.links)a.click()")}`,
    ends: rendered
  }
}
