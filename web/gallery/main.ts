// The gallery: four sections over one device.
import 'uplot/dist/uPlot.min.css';
import './style.css';

import { App } from './app.js';
import { outputSection } from './output.js';
import { speedSection } from './speed.js';
import { stepsSection } from './steps.js';
import { totalsSection } from './totals.js';

const find = (id: string) => document.getElementById(id)!;
const app = new App(find('device'));
totalsSection(app, find('totals'));
outputSection(app, find('output'));
stepsSection(app, find('steps'));
speedSection(app, find('speed'));
void app.open();

// For tests: a page's own devices cannot be lost on purpose in any other way.
Object.assign(globalThis, { cumuloGallery: app });
