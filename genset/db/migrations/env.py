"""Alembic's entry: run the migrations on the connection that `genset.db.database` hands over."""

from alembic import context

from genset.db.models import Base

connection = context.config.attributes["connection"]
context.configure(connection=connection, target_metadata=Base.metadata, render_as_batch=True)
with context.begin_transaction():
    context.run_migrations()
