"""How the page looks, in light and dark."""

STYLE = """
:root{color-scheme:light dark;--page:#f5f6f8;--surface:#fff;--line:#e3e6eb;--grid:#eceff3;
--ink:#14171c;--ink-2:#454d59;--ink-3:#666e7b;--accent:#4a4dcb;--good:#00855f;--at:#b26a00;
--late:#0072b2;--bad:#b3261e;--amber-wash:#fff2da;--amber-ink:#7f4a00}
@media(prefers-color-scheme:dark){:root{--page:#0d0f13;--surface:#14171d;--line:#252a33;
--grid:#1f242d;--ink:#eceef2;--ink-2:#b6bdc8;--ink-3:#8e96a3;--accent:#8487f5;--good:#22bf8f;
--at:#f0a92e;--late:#3fa2e6;--bad:#ff8a80;--amber-wash:#2c2312;--amber-ink:#ffd48a}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);
font:400 14px/22px Inter,"Noto Sans",system-ui,-apple-system,"Segoe UI",sans-serif;
font-variant-numeric:tabular-nums}
main{max-width:1120px;margin:0 auto;padding:32px 24px 48px}
h1{font-size:24px;line-height:32px;margin:0 0 4px;letter-spacing:-.01em}
h2{font-size:14px;line-height:22px;margin:0 0 4px;font-weight:600}
header p{margin:0;color:var(--ink-2)}
header .note{margin-top:8px;padding:8px 12px;border-radius:6px;background:var(--amber-wash);
color:var(--amber-ink)}
.mark-simulated{font-size:12px;line-height:20px;padding:2px 8px;border-radius:10px;
vertical-align:4px;font-weight:500;letter-spacing:0;background:var(--amber-wash);color:var(--amber-ink)}
section{background:var(--surface);border:1px solid var(--line);border-radius:10px;padding:16px 20px;
margin-top:16px}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(180px,1fr));padding:0}
.tiles div{padding:16px 20px;border-left:1px solid var(--line);margin-left:-1px}
.tiles h2{font-weight:500;color:var(--ink-2)}
.tiles b{font-size:26px;line-height:34px;font-weight:600;letter-spacing:-.01em}
.tiles p{margin:2px 0 0;color:var(--ink-3);font-size:12px;line-height:17px}
.about{margin:0 0 8px;color:var(--ink-2);max-width:100ch}
.about i{display:inline-block;width:10px;height:10px;border-radius:5px;margin:0 4px 0 12px}
i.good{background:var(--good)}i.at{background:var(--at)}i.late{background:var(--late)}
.wide{overflow-x:auto}.wide svg{min-width:860px}
svg{display:block;width:100%;height:auto}
.pair{display:grid;grid-template-columns:minmax(0,3fr) minmax(0,2fr);gap:16px;align-items:start}
@media(max-width:900px){.pair{grid-template-columns:minmax(0,1fr)}}
text{font-size:11.5px;fill:var(--ink-2)}text.tick{fill:var(--ink-3);font-size:11px}
.mid{text-anchor:middle}.end{text-anchor:end}
line.grid{stroke:var(--grid)}line.zero{stroke:var(--ink-3);stroke-width:1.5}
.stem{stroke-width:2;opacity:.45}.stem.good{stroke:var(--good)}.stem.at{stroke:var(--at)}
.stem.late{stroke:var(--late)}
.dot.good{fill:var(--good)}.dot.at{fill:var(--at)}.dot.late{fill:var(--late)}
text.missed{fill:var(--bad);font-weight:600}
.failure.found{fill:var(--ink-2)}.failure.lost{fill:var(--bad)}
.alarm.true{fill:var(--good)}.alarm.false{fill:var(--surface);stroke:var(--bad);stroke-width:1.5}
.line{fill:none;stroke:var(--accent);stroke-width:2}.mark.own{fill:var(--accent)}
.mark.plain{fill:var(--surface);stroke:var(--ink-3);stroke-width:1.5}
.curve{max-width:640px;margin:4px 0 8px}
table{border-collapse:collapse;width:100%;font-size:13px;line-height:20px}
th{text-align:left;font-weight:500;color:var(--ink-3)}
th,td{padding:5px 12px 5px 0;border-bottom:1px solid var(--line);vertical-align:top}
tr:last-child td{border-bottom:0}.n{text-align:right}
details table{margin-top:6px}summary{cursor:pointer;color:var(--ink-2)}
.bars svg{display:inline-block;width:84px;height:8px;vertical-align:1px;background:var(--grid);
border-radius:4px;margin-right:8px}.bars rect{fill:var(--accent)}
footer{color:var(--ink-3);font-size:12px;line-height:18px;margin-top:16px;max-width:96ch}
@media print{body{background:#fff}section{break-inside:avoid}}
"""
