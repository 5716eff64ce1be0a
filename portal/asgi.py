"""The application that uvicorn serves."""

import gc
import os
import sys
from importlib import import_module

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")
framework = get_asgi_application()

# After the framework: both need the apps to be there.
admission = import_module("apps.operations.admission.application")
limits = import_module("apps.operations.admission.admission_state").limits_from_settings()
application = admission.Admission(framework, limits=limits)

# A page that comes back from the database waits so long for a thread that decodes; the default is
# five times that, at each of its queries.
sys.setswitchinterval(0.001)
# What is loaded once stays: a full collection in mid-request would walk all of it for nothing.
import_module("portal.urls")
gc.collect()
gc.freeze()
# A page makes tens of thousands of small values that live as long as it does, and no cycles: with
# the default of 700 the collector walks them again and again while they are made.
gc.set_threshold(20_000, 20, 20)
